"""The trace of a recording alone: what its requests and answers show, with no loop.

Rules of this file:

1. Nothing is made up. A call of a tool is there when the next request holds its result, an append when the
   next request goes on from this one; where it does not, its messages are simply there (``set``, ``splice``).
2. A cassette with a story shows its main line; any other shows all its exchanges, in recorded order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.text import say
from simulator.trace.answers import stated, turn_of
from simulator.trace.build import Builder
from simulator.trace.document import Trace
from simulator.trace.events import Append, Branch, Exit, Request, Response, ToolCall, ToolResult
from simulator.trace.observe import about_scenario
from simulator.trace.parameters import stated_by
from simulator.wire.message import calls, conversation, digest, results, sha256

if TYPE_CHECKING:
    from simulator.recording.cassette import Exchange
    from simulator.recording.scenario import Scenario


def recorded(path: Path, branch: str | None = None) -> Trace:
    """Return the verified trace of the recording at *path*, or of one *branch* of it and what leads there.

    Raises CassetteError, and LookupError when there is no such branch.
    """
    from simulator.recording.cassette import read
    from simulator.recording.scenario import Scenario

    scenario = Scenario.of(read(path))
    exchanges: Sequence[Exchange] = scenario.recording.exchanges
    if branch is not None:
        exchanges = _leading_to(scenario, branch)
    elif "scenario" in scenario.recording.metadata:
        exchanges = [exchanges[index] for index in scenario.about.main]
    teller = _Teller(exchanges[0].request)
    for exchange, following in zip(exchanges, [*exchanges[1:], None], strict=True):
        teller.tell(exchange, _sent(following) if following is not None else [])
    teller.builder.add(Exit(len(exchanges), None, "recorded"))
    first = exchanges[0].request
    trace = Trace.build(
        teller.builder,
        scenario=about_scenario(scenario, None),
        loop=None,
        source=None,
        system=first.get("system"),
        tools=[tool for tool in first.get("tools") or [] if isinstance(tool, dict)],
    )
    trace.verify()
    return trace


def _leading_to(scenario: Scenario, branch: str) -> list[Exchange]:
    """Return the exchanges of *branch*, after those whose conversations its first request goes on from."""
    known = {each.name: each for each in scenario.branches}
    if branch not in known:
        raise LookupError(say("trace.no_branch", name=branch, known=", ".join(known) or "–"))
    every = scenario.recording.exchanges
    path = [every[index] for index in known[branch].exchanges]
    while True:
        goal = conversation(path[0].request)["messages"]
        told = [(conversation(each.request)["messages"], each) for each in every if each.status == 200]
        before = [
            (len(sent), each) for sent, each in told if sent == goal[: len(sent)] and len(sent) < len(goal)
        ]
        if not before:
            return path
        path.insert(0, max(before, key=lambda pair: pair[0])[1])


def _sent(exchange: Exchange) -> list[Any]:
    sent = exchange.request.get("messages")
    return sent if isinstance(sent, list) else []


class _Teller:
    """Tells one exchange after another."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.builder = Builder()
        self._head = first
        self._turn = 0
        self._first: dict[str, int] = {}

    def tell(self, exchange: Exchange, following: list[Any]) -> None:
        """Tell *exchange*; *following* are the messages of the next request."""
        self._turn += 1
        turn, sent = self._turn, _sent(exchange)
        refs, after = self.builder.refs(sent), self.builder.refs(following)
        new = following[len(sent) :] if after[: len(refs)] == refs else []
        self._request(exchange, refs)
        self.builder.add(_response(exchange, turn))
        answered = 1 if new and isinstance(new[0], dict) and new[0].get("role") == "assistant" else 0
        if answered:
            self.builder.add(Append(turn, None), after[: len(refs) + 1])
        message = turn_of(exchange.message)
        if exchange.status == 200:
            self.builder.add(Branch(turn, None, stated(exchange.message or {}).get("stop_reason")))
        self._calls(message, following)
        if new[answered:]:
            self.builder.add(Append(turn, None), after)

    def _request(self, exchange: Exchange, refs: list[int]) -> None:
        body, sent = exchange.request, _sent(exchange)
        key = digest(body)
        parts = stated_by(body, self._head)
        repeats = self._first.get(key)
        self._first.setdefault(key, self._turn)
        self.builder.add(Request(self._turn, None, key, sha256(sent), parts, repeats), refs)

    def _calls(self, message: dict[str, Any] | None, following: list[Any]) -> None:
        """Tell the calls of *message* whose results the next request holds."""
        found = {str(block.get("tool_use_id")): block for block in results(following)}
        for call in calls([message]):
            name, block, result = str(call.get("name")), str(call.get("id")), found.get(str(call.get("id")))
            if result is not None:
                given = call.get("input")
                values = given if isinstance(given, dict) else {}
                failed = result.get("is_error") is True
                self.builder.add(ToolCall(self._turn, None, name, values, block))
                content = result.get("content")
                self.builder.add(ToolResult(self._turn, None, name, content, block, failed))


def _response(exchange: Exchange, turn: int) -> Response:
    return Response(
        turn,
        None,
        exchange.status,
        "recording",
        exchange.index,
        message=turn_of(exchange.message),
        error=exchange.error,
        **stated(exchange.message or {}),
    )
