"""End a loop that takes longer than it was given, wherever in Python it is.

Rules of this file:

1. The exception is put into the loop's thread from outside, again and again until the loop has ended: a loop
   that swallows it meets it again. It needs no line tracing, which CPython switches off after one exception.
2. It is put there while the recorder rests, so that a half written step is never left behind.
3. What blocks outside Python (a sleep, a socket) is met as soon as it comes back. What the simulator itself
   holds up (a handler that hangs) is let go first: the loop may be waiting for a thread that runs it.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable
from types import TracebackType
from typing import ClassVar

from simulator.recording.stops import SimulatorStop
from simulator.text import say

_PERIOD = 0.05
"""Seconds from one look at the clock to the next."""

_LAST_STEPS = 100
"""More than the steps CPython takes before it looks for an exception from outside: one jump back."""


class DeadlinePassed(SimulatorStop):
    """The loop did not come to an end in the time it was given."""

    reason: ClassVar[str] = "deadline"


class Watchdog:
    """Watches the thread that enters it. ``fired`` says whether the deadline passed before the end."""

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float],
        lock: threading.RLock,
        let_go: Callable[[], None],
    ) -> None:
        self.fired = False
        self._seconds, self._clock, self._lock, self._let_go = seconds, clock, lock, let_go
        self._end = 0.0
        self._over = threading.Event()
        self._thread_id = 0

    def __enter__(self) -> Watchdog:
        self._thread_id = threading.get_ident()
        self._end = self._clock() + self._seconds
        threading.Thread(target=self._watch, name="deadline", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while not self._over.is_set():
            # It may bark here as well, until it has been told.
            with contextlib.suppress(DeadlinePassed), self._lock:
                self._over.set()
        with contextlib.suppress(DeadlinePassed):
            # One that is still on its way arrives here. Taking it back (PyThreadState_SetAsyncExc with NULL)
            # leaves CPython 3.11 looking for it for ever.
            for _ in range(_LAST_STEPS):
                pass

    def stop(self) -> DeadlinePassed:
        """Return the stop that it ended the run with."""
        return DeadlinePassed(say("trace.loop.deadline", seconds=f"{self._seconds:g}"))

    def _watch(self) -> None:
        while not self._over.wait(_PERIOD):
            if self._clock() < self._end:
                continue
            with self._lock:
                if not self._over.is_set():
                    self.fired = True
                    self._let_go()
                    raise_in(self._thread_id, DeadlinePassed)


def raise_in(thread_id: int, kind: type[BaseException]) -> None:
    """Have the thread raise *kind* at its next step."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(kind))
