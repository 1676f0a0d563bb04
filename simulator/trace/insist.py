"""End a loop that swallows even the simulator's stop, and asks again.

Rules of this file:

1. ``while True: try: ask() except: continue`` catches whatever is raised inside the ``try``, for ever. What
   is raised between two tries it cannot catch: so the stop is raised at the next line of the loop's own
   source that begins after the request has failed, which is one of the ``except`` or one behind it.
2. A loop that cleans up after itself is left in peace: it starts only when one thread has asked
   :data:`PATIENCE` times after the stop.
3. CPython switches tracing off in a thread whose trace function raised. Where an outer ``except`` swallows
   that, too, the next request switches it on again.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

PATIENCE = 20
"""How often a thread may ask again before it is ended: several requests may be on their way at a stop."""


class Insistence:
    """Counts the requests after a stop. ``times`` is how many there were, 0 if it never had to insist."""

    def __init__(self, key: str | None) -> None:
        self.times = 0
        self._key = key
        self._asked: dict[int, int] = {}

    def asked_again(self, stop: BaseException) -> None:
        """Take note that this thread asks after *stop*; the request itself is about to raise it again."""
        thread = threading.get_ident()
        asked = self._asked[thread] = self._asked.get(thread, 0) + 1
        if asked < PATIENCE or self._key is None:
            return
        self.times = max(self.times, asked)
        self._end_at_the_next_line(stop)

    def _end_at_the_next_line(self, stop: BaseException) -> None:
        def ending(frame: FrameType, event: str, arg: object) -> Any:
            if event == "line":
                raise stop.with_traceback(None)
            return ending

        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._key:
                frame.f_trace = ending
            frame = frame.f_back
        sys.settrace(_nothing)


def _nothing(frame: FrameType, event: str, arg: object) -> None:
    """Trace no new frame; that there is a trace function at all has those of the frames called."""
