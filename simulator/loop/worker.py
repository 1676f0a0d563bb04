"""One handler in a thread of its own, so that it can be waited for with a deadline, and left behind."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from simulator.loop.outcome import Outcome


class Worker:
    """One handler in a thread; what it raises that is no failure of a tool is raised again where it is
    awaited.
    """

    def __init__(self, job: Callable[[], Outcome]) -> None:
        self.result: Outcome | None = None
        self._stop: BaseException | None = None
        self._job = job
        self._ended = threading.Event()
        context = contextvars.copy_context()
        # A daemon, or a handler that hangs would keep the program from ending.
        threading.Thread(target=context.run, args=(self._work,), daemon=True).start()

    def _work(self) -> None:
        try:
            self.result = self._job()
        except BaseException as stop:
            self._stop = stop
        finally:
            self._ended.set()

    def outcome(self, seconds: float | None) -> Outcome | None:
        """Return the outcome, or None when it is not there after *seconds*."""
        self._ended.wait(seconds)
        if self._stop is not None:
            raise self._stop
        return self.result
