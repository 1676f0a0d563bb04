"""One run against a recording: request in, recorded answer out.

Rules of this file:

1. The answers, in this order: the recorded exchange of this very conversation; the API rule that the request
   breaks; the recorded exchange under a system prompt where none was recorded, or with tools of the loop's
   own besides; the scenario's first branch whose condition holds; off script. A what-if changes how what
   was found ends (``recording.whatif``).
2. The same requests in the same order get the same answers, always. There is no clock and no chance.
3. A run that was stopped stays stopped: every later request raises the same stop again, so that a loop that
   swallows even ``BaseException`` cannot go on.
4. Requests are served one after another, from whichever threads they come.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from simulator.recording import conditions, responses
from simulator.recording.answer import Answer, Listener
from simulator.recording.index import Index, matching, servable
from simulator.recording.reader import Reader
from simulator.recording.stops import OffScript, RecordingEnds, RunawayLoop, SimulatorStop
from simulator.recording.threads import Threads
from simulator.recording.whatif import WhatIf, checked
from simulator.wire.message import conversation, parameters, tool_names
from simulator.wire.message import digest as digest_of
from simulator.wire.rules import check_json, check_request

if TYPE_CHECKING:
    from simulator.recording.cassette import Exchange, Recording

__all__ = [
    "MAX_REQUESTS",
    "Answer",
    "Listener",
    "OffScript",
    "RecordingEnds",
    "Replay",
    "RunawayLoop",
    "SimulatorStop",
]

MAX_REQUESTS = 50
"""How many requests a run may send unless the caller says otherwise."""


class _Deaf:
    """The listener of a run that nobody listens to."""

    def request(self, body: dict[str, Any], digest: str) -> None: ...

    def answered(self, answer: Answer) -> None: ...

    def stopped(self, stop: SimulatorStop) -> None: ...

    def ignored(self, stop: SimulatorStop) -> None: ...


@dataclass
class _Asked:
    """A request being answered: as ``sent``, with its ``digest``; as the recording is searched for it.

    ``earlier`` are the numbers of the requests before with its conversation.
    """

    sent: dict[str, Any]
    digest: str
    body: dict[str, Any]
    key: str
    turn: int
    earlier: list[int] = field(default_factory=list)

    @property
    def stream(self) -> bool:
        return self.body.get("stream") is True


class Replay:
    """One run. ``answer(raw)`` is the whole of it; ``requests`` counts them, ``stopped`` is what ended it."""

    def __init__(
        self,
        recording: Recording,
        *,
        max_requests: int = MAX_REQUESTS,
        listener: Listener | None = None,
        index: Index | None = None,
        what_if: Mapping[int, str] | None = None,
    ) -> None:
        self._what_if = WhatIf(checked(what_if))
        self.requests = 0
        self.stopped: SimulatorStop | None = None
        self._index = index if index is not None else Index(recording)
        self._reader = Reader(self._index.digests)
        self._threads = Threads()
        self._cap = max_requests
        self._listener: Listener = listener if listener is not None else _Deaf()
        self._turns: dict[str, list[int]] = {}
        self._uses: dict[object, int] = {}
        self._lock = threading.RLock()

    def answer(self, raw: bytes) -> Answer:
        """Return the answer to the request body *raw*. Raises SimulatorStop when there is none."""
        with self._lock:
            self._still_running()
            self.requests += 1
            raw = self._threads.whole(raw)
            body, digest = self._reader.read(raw) or ({}, "")
            searched = self._what_if.searched(body)
            key = digest if searched is body else digest_of(searched)
            asked = _Asked(body, digest, searched, key, self.requests, self._turns.setdefault(digest, []))
            self._listener.request(body, digest)
            answer = self._answer(asked, raw)
            asked.earlier.append(asked.turn)
            self._threads.hold(answer.message)
            self._listener.answered(answer)
            return answer

    def stop(self, stop: SimulatorStop) -> NoReturn:
        """End the run with *stop*; it is raised here and at every later request."""
        with self._lock:
            self._still_running()
            self.stopped = stop
            self._listener.stopped(stop)
            raise stop

    def refuse_endpoint(self, method: str, path: str) -> NoReturn:
        """End the run because it asked for something else than ``POST /v1/messages``."""
        self.stop(OffScript.endpoint(self.requests + 1, method, path))

    def _still_running(self) -> None:
        if self.stopped is not None:
            self._listener.ignored(self.stopped)
            # The same object again, without the frames it has already passed through.
            raise self.stopped.with_traceback(None)

    def _answer(self, asked: _Asked, raw: bytes) -> Answer:
        if asked.turn > self._cap:
            self.stop(self._runaway(asked))
        # With a pause in it, a recorded conversation may still be sent in a form that the API refuses.
        refused = self._refused(asked, raw) if asked.body is not asked.sent else None
        answer = (
            refused
            or self._recorded(asked, asked.key)
            or self._refused(asked, raw)
            or self._recorded(asked, self._without_its_own(asked))
            or self._by_branch(asked)
        )
        if answer is None:
            self.stop(self._off_script(asked))
        return answer

    def _without_its_own(self, asked: _Asked) -> str:
        """Return the key of the conversation without a loop's own prompt and tools; "" where it has none."""
        own: dict[str, Any] = {}
        if "system" in asked.body and not self._index.prompted:
            own["system"] = None
        if not self._index.tools.issuperset(tool_names(asked.body)):
            known = [tool for tool in asked.body["tools"] if tool.get("name") in self._index.tools]
            own["tools"] = known or None
        return digest_of({**asked.body, **own}) if own else ""

    def _recorded(self, asked: _Asked, key: str) -> Answer | None:
        candidates = self._index.recorded(key)
        if not candidates:
            return None
        group = candidates if len(candidates) == 1 else matching(candidates, parameters(asked.body))
        group = servable(group, stream=asked.stream)
        return self._given(self._next(group, None), asked)

    def _next(self, group: tuple[Exchange, ...], asked: str | None) -> Exchange:
        """Return the exchange of *group* whose turn it is: in order, and the last one again and again.

        *asked*: the digest of the conversation, where the group answers more than one.
        """
        key = asked, *(exchange.index for exchange in group)
        use = self._uses[key] = self._uses.get(key, 0) + 1
        return group[min(use, len(group)) - 1]

    def _refused(self, asked: _Asked, raw: bytes) -> Answer | None:
        error = check_request(asked.sent) if asked.digest else check_json(raw)
        if error is None:
            return None
        headers = responses.headers({}, error.status, responses.JSON, asked.digest)
        body = error.body(headers["request-id"])
        return Answer(
            status=error.status,
            headers=headers,
            body=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"),
            by="rule",
            error=error,
            fault=body["error"],
        )

    def _by_branch(self, asked: _Asked) -> Answer | None:
        sent = conditions.Sent(asked.body, len(asked.earlier), self._index.answers)
        for branch in self._index.branches:
            if branch.when is not None and conditions.holds(branch.when, sent):
                group = servable(self._index.of_branch(branch), stream=asked.stream)
                exchange = self._next(group, asked.key)
                return self._given(exchange, asked, branch=branch.name, when=branch.when)
        return None

    def _given(
        self, exchange: Exchange, asked: _Asked, branch: str | None = None, when: dict[str, Any] | None = None
    ) -> Answer:
        status, content_type, body = self._index.body(exchange, asked.stream)
        answer = Answer(
            status=status,
            headers=responses.headers(exchange.headers, status, content_type, asked.digest),
            body=body,
            by="recording" if branch is None else "branch",
            exchange=exchange.index,
            branch=branch,
            when=when,
            message=responses.message_of(exchange) if status == 200 else None,
            fault=exchange.error,
        )
        whole = exchange.message if exchange.complete else None
        return answer if whole is None else self._ended(answer, asked, whole)

    def _ended(self, answer: Answer, asked: _Asked, whole: dict[str, Any]) -> Answer:
        """Return *answer*, or what a what-if makes of it."""
        ended = self._what_if.ended(asked.turn, asked.digest, asked.sent, whole)
        if ended is None:
            return answer
        content_type, body = responses.of_message(ended.message, asked.stream)
        headers = {**answer.headers, "content-type": content_type}
        return replace(answer, headers=headers, body=body, message=ended.message, instead_of=ended.instead_of)

    def _off_script(self, asked: _Asked) -> OffScript:
        sent = conversation(asked.body)
        nearest, (path, expected, actual) = self._index.nearest(sent)
        return OffScript.differing(
            turn=asked.turn,
            nearest=nearest,
            path=path,
            expected=expected,
            actual=actual,
            merged=len(sent["messages"]) < len(asked.body.get("messages") or []),
        )

    def _runaway(self, asked: _Asked) -> RunawayLoop:
        counted = {digest: list(turns) for digest, turns in self._turns.items()}
        counted[asked.digest].append(asked.turn)
        most = max(counted.values(), key=len)
        return RunawayLoop(
            requests=asked.turn,
            cap=self._cap,
            repeated_turn=most[0] if len(most) > 1 else None,
            times=len(most),
        )
