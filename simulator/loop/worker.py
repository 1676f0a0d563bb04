"""Handlers in threads beside the loop, so that each can be waited for with a deadline, and left behind.

Rules of this file:

1. A thread runs one job after another; starting one for each call costs more than the rest of the engine.
2. A thread whose job hangs is left behind: the next job gets another one. Python cannot kill it. It is a
   daemon, or it would keep the program from ending.
3. A deadline has passed when the injected clock says so. That clock may stand still, as in a test, so as many
   real seconds are a limit too. Which of the two it was makes no difference to the run.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

TICK = 0.1
"""Seconds after which whoever waits looks up: at the injected clock, at ``cancelled``, and, on Windows, for
Ctrl-C.
"""


def nothing() -> None:
    """Do nothing."""


class CutShort(Exception):  # noqa: N818  # named for what it tells
    """Whoever waited was told to wait no longer."""


class Worker(Generic[Result]):
    """One job in a thread; what it raises is raised again where it is awaited; *on_end* is called in that
    thread.
    """

    def __init__(
        self, job: Callable[[], Result], clock: Callable[[], float], on_end: Callable[[], None] = nothing
    ) -> None:
        self.result: Result | None = None
        self._stop: BaseException | None = None
        self._job, self._on_end, self._clock = job, on_end, clock
        self._began, self._real = clock(), time.monotonic()
        self._context = contextvars.copy_context()
        self._running = threading.Lock()
        self._running.acquire()

    def work(self) -> None:
        """Do the job, and keep what came of it."""
        try:
            self.result = self._context.run(self._job)
        except BaseException as stop:
            self._stop = stop

    def end(self) -> None:
        """Say that it is over."""
        self._running.release()
        self._on_end()

    def ended(self, seconds: float | None, cut: Callable[[], bool]) -> bool:
        """Wait for the end; return False when it did not come within *seconds* of the start (rule 3).

        Raises CutShort as soon as *cut* returns True.
        """
        while True:
            left = TICK if seconds is None else seconds - self._passed()
            if self._running.acquire(timeout=max(0.0, min(TICK, left))):
                return True
            if left <= 0:
                return False
            if cut():
                raise CutShort

    def _passed(self) -> float:
        return max(self._clock() - self._began, time.monotonic() - self._real)

    def outcome(self) -> Result:
        """Return what an ended job returned, or raise what it raised."""
        if self._stop is not None:
            raise self._stop
        return self.result  # type: ignore[return-value]  # ended without raising: it is there


class Crew:
    """The threads of one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Worker[Any] | None]] = []
        self._closed = False

    def start(self, worker: Worker[Any]) -> None:
        """Let *worker* work in a thread that has nothing to do, or in a new one."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        inbox = idle or SimpleQueue[Worker[Any] | None]()
        inbox.put(worker)
        if idle is None:  # a new thread finds its first job there, and has not to be woken a second time
            threading.Thread(target=self._serve, args=(inbox,), daemon=True).start()

    def close(self) -> None:
        """Let every thread end: those without a job now, the others after it."""
        with self._lock:
            self._closed = True
            for inbox in self._idle:
                inbox.put(None)
            self._idle.clear()

    def _serve(self, inbox: SimpleQueue[Worker[Any] | None]) -> None:
        while (worker := inbox.get()) is not None:
            worker.work()
            with self._lock:
                closed = self._closed
                if not closed:
                    self._idle.append(inbox)  # before the end is told: whoever hears of it may start the next
            worker.end()
            if closed:
                return
            del worker  # or the last job would be kept for as long as the thread waits
