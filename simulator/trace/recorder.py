"""Collects the events of one run: what the replay tells, what the handlers do, what the lines show.

Rules of this file:

1. One event at a time, whichever thread it comes from. After the exit nothing is recorded any more.
2. Before a request, a tool call or the exit, two things are brought up to date: the loop's own list, and the
   decision. A response that nobody was seen to decide on gets a branch without a test; before a tool call
   only where no test can follow, since a loop may run its tools first and look at the signal afterwards.
3. A list that was made for one request alone is ``messages[]`` at that request; with the response the loop's
   own list is back.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import CodeType
from typing import TYPE_CHECKING, Any

from simulator.trace.answers import response_of
from simulator.trace.build import Builder
from simulator.trace.events import Append, Branch, Line, Request, ToolCall, ToolResult
from simulator.trace.frames import Walk, walk
from simulator.trace.insist import Insistence
from simulator.trace.jsonable import described_error, jsonable
from simulator.trace.open_calls import OpenCalls
from simulator.trace.parameters import stated_by
from simulator.trace.tracked import Names, Tracked
from simulator.wire.message import digest as digest_of

if TYPE_CHECKING:
    from simulator.recording.replay import Answer, SimulatorStop
    from simulator.trace.lines import LineTracer
    from simulator.trace.source import Source


class Recorder:
    """The listener of a replay, and what the handlers and the line tracer report to."""

    def __init__(
        self, code: CodeType, source: Source | None, waits: Callable[[], float] | None = None
    ) -> None:
        self.builder = Builder()
        self.tracked = Tracked(self.builder.pool)
        self.turn = 0
        self.stop: SimulatorStop | None = None
        self.first_request: dict[str, Any] | None = None
        self.tracer: LineTracer | None = None
        self.lock = threading.RLock()
        self.closed = False
        self.insistence = Insistence(source.key if source is not None else None)
        self.code, self._source = code, source
        self._current: list[int] = []
        self._calls = OpenCalls()
        self._known: dict[int, tuple[Any, int]] = {}
        self._first_turn: dict[str, int] = {}
        self._signal: str | None = None
        self._undecided = self._answered = False
        self._decisions: set[tuple[int, str, bool | None]] = set()
        self._list_at_request: list[int] | None = None
        self._restore: list[int] | None = None
        self._line: int | None = None
        self._waits, self._slept = waits, 0.0

    def begin(self, messages: Any) -> None:
        """Follow the list that the loop is given; its contents come with the first event."""
        if isinstance(messages, (list, tuple)):
            self.tracked.follow(messages)
            self._current = self.tracked.refs

    # What the replay tells

    def request(self, body: dict[str, Any], digest: str) -> None:
        """A request came in."""
        with self.lock:
            if self.closed:
                return
            found = walk()
            self._line = self._at(found)
            sent = body.get("messages")
            refs = [self._ref(message) for message in sent] if isinstance(sent, list) else []
            self._follow(found, refs)
            self._decide(self._line)
            self.turn += 1
            self._calls.clear()
            self._answered = self._undecided = False
            if self.first_request is None:
                self.first_request = body
            digest = digest or digest_of({})
            stated = stated_by(body, self.first_request)
            repeats = self._first_turn.get(digest)
            self._first_turn.setdefault(digest, self.turn)
            waited = self._waited()
            self._add(
                Request(self.turn, self._line, digest, self._sha256(refs), stated, repeats, waited), refs
            )

    def answered(self, answer: Answer) -> None:
        """The request was answered."""
        with self.lock:
            if self.closed:
                return
            response = response_of(answer, self.turn, self._line)
            self._signal = response.stop_reason
            self._answered, self._undecided = True, response.status == 200
            self._decisions.clear()
            self._calls.ask(response.message)
            restore, self._restore = self._restore, None
            self._add(response, restore)

    def stopped(self, stop: SimulatorStop) -> None:
        """The simulator ended the run."""
        self.stop = self.stop or stop

    def ignored(self, stop: SimulatorStop) -> None:
        """The loop swallowed the stop and asks again."""
        if self.tracer is not None:
            self.insistence.asked_again(stop)

    # What the handlers do

    def wrap(self, name: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Return *handler*, reporting each call and what came of it."""

        @functools.wraps(handler)
        def reporting(*args: Any, **given: Any) -> Any:
            line, block = self._call(name, args, given)
            try:
                result = handler(*args, **given)
            except Exception as error:
                self._result(line, name, error, block, failed=True)
                raise
            self._result(line, name, result, block, failed=False)
            return result

        return reporting

    def _call(self, name: str, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[int | None, str | None]:
        with self._resting(), self.lock:
            values = jsonable(given) | ({"*": jsonable(args)} if args else {})
            line, block = self._at(walk()), self._calls.match(name, values)
            if not self.closed:
                self.changed(self.last_line())
                if self.tracer is None or not self.tracer.decides:
                    self._decide(line)
                self._add(ToolCall(self.turn, line, name, values, block))
            return line, block

    def _result(self, line: int | None, name: str, result: Any, block: str | None, failed: bool) -> None:
        with self._resting(), self.lock:
            if not self.closed:
                content = described_error(result) if failed else jsonable(result)
                error = type(result).__name__ if failed else None
                self._add(ToolResult(self.turn, line, name, content, block, failed, error))

    def _resting(self) -> AbstractContextManager[None]:
        return self.tracer.resting() if self.tracer is not None else contextlib.nullcontext()

    # What the lines show

    def changed(self, line: int | None, whole: bool = False) -> None:
        """Record a change of the loop's own list, if there is one, as made by *line*."""
        with self.lock:
            if self.closed or not (whole or self.tracked.stirred()):
                return
            refs = self.tracked.look(whole)
            if refs != self._current and self.tracked.own is not None:
                self._add(Append(self.turn, self._shown(line)), refs)

    def branch(self, line: int, test: str, value: bool | None, guard: bool) -> None:
        """Record the outcome of a test; the same outcome of it once for each response."""
        with self.lock:
            if self.closed or not self._answered or (line, test, value) in self._decisions:
                return
            self._decisions.add((line, test, value))
            self._undecided = self._undecided and guard
            self._add(Branch(self.turn, line, self._signal, test, value, guard))

    def line(self, line: int) -> None:
        """Record that *line* is about to run."""
        with self.lock:
            if not self.closed:
                self._add(Line(self.turn, line))

    def finish(self) -> None:
        """Bring list and decision up to date before the exit."""
        with self.lock:
            self.tracked.names = Names()
            if self._restore is None:
                self.changed(self.last_line(), whole=True)
            if not self._decisions:
                self._decide(self.last_line())

    def last_line(self) -> int | None:
        """Return the line of the source that began last, where lines are followed."""
        return self.tracer.last if self.tracer is not None else None

    # Inside

    def _follow(self, found: Walk, refs: list[int]) -> None:
        """Find the list that was sent among the loop's own, and record what changed in it before."""
        own, tracked = self._own_list(found, refs), self.tracked
        if own is not None:
            tracked.follow(own, refs)
            if refs != self._current:
                self._add(Append(self.turn, self._shown(self.last_line())), refs)
            self._list_at_request = refs
            return
        self.changed(self.last_line(), whole=True)
        moved, self._list_at_request = tracked.refs != self._list_at_request, tracked.refs
        if tracked.own is not None and moved:
            self._restore = tracked.refs
        else:
            # It has not moved since the last request, so it is not where this loop keeps its messages.
            tracked.follow(None)

    def _own_list(self, found: Walk, refs: list[int]) -> Any:
        tracked, sent = self.tracked, found.sent
        if sent is not None and sent is tracked.own:
            return sent
        candidates = list(found.lists(self.code))
        if sent is not None and any(candidate is sent for candidate in candidates):
            return sent
        if tracked.own is not None:
            candidates.insert(0, tracked.own)
        return next((each for each in candidates if refs and tracked.holds(each, refs)), None)

    def _decide(self, line: int | None) -> None:
        if self._undecided:
            self._undecided = False
            self._add(Branch(self.turn, self._shown(line), self._signal))

    def _add(self, event: Any, refs: list[int] | None = None) -> None:
        if refs is not None:
            self._current = refs
        # The first event brings the messages that the loop was given.
        self.builder.add(event, self._current if refs is not None or not self.builder.steps else None)

    def _waited(self) -> float | None:
        """Return the seconds slept since the last request, where somebody counts them."""
        if self._waits is None:
            return None
        before, self._slept = self._slept, self._waits()
        return self._slept - before

    def _ref(self, message: Any) -> int:
        """Return the pool number of a sent *message*. The replay gives equal messages as one object."""
        known = self._known.get(id(message))
        if known is None:
            known = self._known[id(message)] = message, self.builder.pool.ref(message)
        return known[1]

    def _sha256(self, refs: list[int]) -> str:
        text = ",".join(self.builder.pool.texts[ref] for ref in refs)
        return hashlib.sha256(f"[{text}]".encode("utf-8", "surrogatepass")).hexdigest()

    def _at(self, found: Walk) -> int | None:
        return self._shown(found.line(self._source.key)) if self._source else None

    def _shown(self, line: int | None) -> int | None:
        return self._source.line(line) if self._source else None
