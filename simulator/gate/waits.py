"""Sleeps that are counted instead of slept, in a process that runs other people's loops.

Rules of this file:

1. Nothing is changed until :func:`install` is called, once, before the loop and the SDK are imported.
2. After it, ``time.sleep`` and ``asyncio.sleep`` return at once, and the clocks of ``time`` are ahead by
   what was slept, so that a loop that measures its own wait finds it. A wait on a lock, a queue or a thread
   is real.
"""

from __future__ import annotations

import asyncio
import asyncio.tasks
import threading
import time
from typing import Any

_lock = threading.Lock()
_slept = 0.0


def total() -> float:
    """Return the seconds slept so far in this process."""
    return _slept


def advance(seconds: float) -> None:
    """Count *seconds* as slept."""
    global _slept
    with _lock:
        _slept += max(0.0, float(seconds))


def install() -> None:
    """Count sleeps from now on. Meant for a child process of the gate, never for a user's own."""
    pause = asyncio.sleep

    def sleep(seconds: Any, /) -> None:
        advance(seconds)

    async def asleep(delay: float, result: Any = None) -> Any:
        advance(delay)
        return await pause(0, result)

    time.sleep = sleep
    asyncio.sleep = asyncio.tasks.sleep = asleep
    for name in ("monotonic", "time", "perf_counter"):
        setattr(time, name, _ahead(getattr(time, name)))


def _ahead(clock: Any) -> Any:
    def reading() -> float:
        return float(clock()) + _slept

    return reading
