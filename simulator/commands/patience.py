"""Tells who waits for a loop that it still runs, and ends the command where nothing else ends the loop.

Rules of this file:

1. ``observe`` stops a loop that runs Python. What waits outside Python (a sleep, a lock, ``input``), and a
   file that never finishes importing, is ended here, and the whole process with it.
2. Nothing of ours is half written then: a command writes when the run is over.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator

from simulator.text import say

DEADLINE = 60.0
"""Seconds a loop may take, unless the command line says otherwise."""

NOTICE = 10.0
"""Seconds after which whoever waits is told that the loop still runs. Importing the SDK may take several."""

GRACE = 10.0
"""Seconds beyond the deadline in which the loop can still be stopped the gentle way."""


@contextlib.contextmanager
def patience(
    deadline: float,
    *,
    notice: float = NOTICE,
    grace: float = GRACE,
    end: Callable[[int], object] = os._exit,
) -> Iterator[None]:
    """Wait for what is done inside: tell so after *notice* s, and call *end* with 1 where it never ends."""
    over = threading.Event()
    stderr = sys.stderr
    words = {"seconds": f"{deadline:g}"}

    def watch() -> None:
        if over.wait(min(notice, deadline)):
            return
        print(say("cli.run.waiting", **words), file=stderr, flush=True)
        if not over.wait(max(0.0, deadline - notice) + grace):
            print(say("cli.run.stuck", **words), file=stderr, flush=True)
            end(1)

    threading.Thread(target=watch, name="patience", daemon=True).start()
    try:
        yield
    finally:
        over.set()
