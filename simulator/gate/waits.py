"""Sleeps that are counted instead of slept, in a process that runs other people's loops.

Rules of this file:

1. Nothing is changed until :func:`install` is called, once, before the loop and the SDK are imported; what
   binds a name early (``from time import sleep``, as anyio does with asyncio's) then gets the counting one.
2. After it, ``time.sleep`` and ``asyncio.sleep`` return at once, and the clocks of ``time`` are ahead by
   what was slept, so that a loop that measures its own wait finds it. Two that sleep side by side have slept
   the sum of both.
3. A wait on a lock, a queue, an event or a thread is real, and so is a sleep without an end: that is no
   waiting, it is how some libraries stand by.
4. Whoever watches over a run goes by :func:`now`, which no loop can turn forward.
5. A :class:`Stopwatch` counts both kinds of waiting: a loop that waits on an event, so that it can be woken,
   waits as well as one that sleeps.
"""

from __future__ import annotations

import asyncio
import asyncio.tasks
import math
import threading
import time
from collections.abc import Callable
from typing import Any

STEP = 0.5
"""Real seconds that a stopwatch counts at once."""

_lock = threading.Lock()
_slept = 0.0
_installed = False

now: Callable[[], float] = time.monotonic
"""The seconds of the real clock, whatever is installed."""


def total() -> float:
    """Return the seconds slept so far in this process."""
    return _slept


def advance(seconds: float) -> None:
    """Count *seconds* as slept."""
    global _slept
    with _lock:
        _slept += max(0.0, float(seconds))


class Stopwatch:
    """Seconds since it was made: those slept, and those really waited, between two looks at it.

    Of the latter only whole :data:`STEP` count, so that what a machine takes for its work is no waiting.
    """

    def __init__(self) -> None:
        self._passed, self._slept, self._real = 0.0, total(), now()

    def __call__(self) -> float:
        """Look at it: return the seconds so far."""
        slept, real = total(), now()
        self._passed += slept - self._slept + (real - self._real) // STEP * STEP
        self._slept, self._real = slept, real
        return self._passed


def install() -> None:
    """Count sleeps from now on. Meant for a child process of the gate, never for a user's own."""
    global _installed
    if _installed:
        return
    _installed = True
    time.sleep = _sleeper(time.sleep)
    asyncio.sleep = asyncio.tasks.sleep = _async_sleeper(asyncio.sleep)
    for name in ("monotonic", "time", "perf_counter"):
        setattr(time, name, _ahead(getattr(time, name), 1))
        setattr(time, f"{name}_ns", _ahead(getattr(time, f"{name}_ns"), 10**9))


def _sleeper(real: Callable[[Any], None]) -> Callable[[Any], None]:
    def sleep(seconds: Any, /) -> None:
        if not _countable(seconds):
            return real(seconds)  # which refuses it in its own words
        return advance(seconds)

    return sleep


def _async_sleeper(real: Callable[..., Any]) -> Callable[..., Any]:
    async def sleep(delay: float, result: Any = None) -> Any:
        if not _countable(delay):
            return await real(delay, result)
        advance(delay)
        return await real(0, result)

    return sleep


def _countable(seconds: Any) -> bool:
    return isinstance(seconds, (int, float)) and 0 <= seconds < math.inf


def _ahead(clock: Callable[[], Any], unit: int) -> Callable[[], Any]:
    def reading() -> Any:
        read = clock()
        return read + type(read)(_slept * unit)

    return reading
