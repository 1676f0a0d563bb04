"""Follow the lines of the loop's own source while it runs.

Rules of this file:

1. Only frames whose code comes from the loop's source get a local trace function. For every other call of the
   program the global one is asked once, so it does nothing but compare a file name; and where the SDK works
   (some 1,500 calls a request, none of them the loop's) tracing rests: ``trace.quiet``.
2. A trace function that raises is switched off by CPython. So nothing here raises.
3. Whoever traced before (a debugger, a coverage tool) traces again afterwards.
"""

from __future__ import annotations

import dis
import inspect
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from simulator.trace.verdicts import Pending, Verdict

if TYPE_CHECKING:
    from simulator.trace.recorder import Recorder
    from simulator.trace.source import Source

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_YIELDS = dis.opmap.get("YIELD_VALUE")
"""Its name is CPython's affair. Without it a test that awaits may be told wrongly; nothing else is lost."""


class Rest:
    """Suspends the trace function *enter* of the thread that makes this, if that is the one it has.

    Not a generator's context manager, of which each use would be ten more calls to trace.
    """

    __slots__ = ("_enter",)

    def __init__(self, enter: Any) -> None:
        self._enter = enter if sys.gettrace() is enter else None

    def __enter__(self) -> None:
        if self._enter is not None:
            sys.settrace(None)

    def __exit__(self, *error: object) -> None:
        if self._enter is not None:
            sys.settrace(self._enter)


class LineTracer:
    """Traces the thread that starts it until it is stopped, and tells the recorder what it sees.

    ``last`` is the line of the source that began last, None before the first. ``decides``: whether the source
    has a test of the response at all.
    """

    def __init__(self, source: Source, recorder: Recorder, every_line: bool) -> None:
        self.last: int | None = None
        self._source, self._recorder, self._every_line = source, recorder, every_line
        self._tests = source.tests
        self.decides = any(not test.guard for test in source.tests.values())
        self._pending: dict[FrameType, Pending] = {}
        self._before: Any = None
        self._enter: Any = None

    def start(self) -> None:
        """Trace the thread that calls this."""
        self._before = sys.gettrace()
        key, local = self._source.key, self._local

        def enter(frame: FrameType, event: str, arg: object) -> Any:
            return local if frame.f_code.co_filename == key else None

        self._enter = enter
        sys.settrace(enter)

    def stop(self) -> None:
        """Leave the thread to whoever traced it before."""
        sys.settrace(self._before)
        self._pending.clear()

    def resting(self) -> Rest:
        """Return a context in which this thread is not traced, if it is the one that is."""
        return Rest(self._enter)

    def _local(self, frame: FrameType, event: str, arg: object) -> Any:
        """Take one event of a frame of the source: line, return, exception."""
        recorder = self._recorder
        recorder.tracked.renamed(frame, recorder.code)
        if recorder.tracked.stirred():
            recorder.changed(self.last)
        if self._pending:
            pending = self._pending.get(frame)
            if pending is not None:
                self._settle(frame, pending, event)
        if event == "line":
            line = self.last = frame.f_lineno
            if self._every_line:
                recorder.line(line)
            test = self._tests.get(line)
            if test is not None and frame not in self._pending:
                self._pending[frame] = Pending(test)
        elif event == "return":
            self._left(frame)
        return self._local

    def _settle(self, frame: FrameType, pending: Pending, event: str) -> None:
        if event == "return" and _suspended(frame):
            return
        verdict = pending.next(event, frame.f_lineno)
        if verdict is Verdict.WAIT:
            return
        del self._pending[frame]
        if verdict is not Verdict.GONE:
            value = None if verdict is Verdict.UNSEEN else verdict is Verdict.TRUE
            self._recorder.branch(pending.test.head[0], pending.text(), value, pending.test.guard)

    def _left(self, frame: FrameType) -> None:
        """After a helper, the line that goes on is its caller's, where that is the loop's own too."""
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename == self._source.key:
            self.last = caller.f_lineno


def _suspended(frame: FrameType) -> bool:
    """Return whether the frame only waits (``await``, ``yield``), which CPython tells as a return, too."""
    code = frame.f_code
    return bool(code.co_flags & _SUSPENDS) and code.co_code[frame.f_lasti] == _YIELDS
