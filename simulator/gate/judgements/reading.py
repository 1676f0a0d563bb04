"""A trace as judgements read it: one exchange per request, with what was asked for and what was run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from simulator.trace.events import Request, Response, ToolCall, ToolResult
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

FINAL = ("end_turn", "stop_sequence")
"""The ``stop_reason`` values with which the model says that its answer is whole."""


@dataclass(slots=True)
class Ran:
    """One handler that ran: what it was called with and what came back."""

    name: str
    input: dict[str, Any]
    id: str | None
    content: Any = None
    is_error: bool = False
    ended: bool = False


@dataclass(slots=True)
class Exchange:
    """One request, its answer, and the handlers that ran before the next request."""

    request: Request
    messages: list[dict[str, Any]]
    """Exactly what was sent, turn by turn."""
    response: Response | None = None
    ran: list[Ran] = field(default_factory=list)

    @property
    def turn(self) -> int:
        """The number of the request, from 1."""
        return self.request.turn

    @property
    def signal(self) -> str | None:
        """The ``stop_reason`` of the answer, None for an error or no answer."""
        return self.response.stop_reason if self.response else None

    @property
    def content(self) -> list[Any]:
        """The blocks of the answer."""
        message = self.response.message if self.response else None
        return wire.blocks(message.get("content")) if message else []

    @property
    def asked(self) -> list[wire.Block]:
        """The ``tool_use`` blocks of the answer."""
        return wire.of_type(self.content, "tool_use")

    @property
    def text(self) -> str:
        """The text of the answer."""
        return wire.text_of(self.content)


def exchanges(trace: Trace) -> list[Exchange]:
    """Return the exchanges of *trace* in order."""
    found: list[Exchange] = []
    for step in trace.steps:
        event = step.event
        if isinstance(event, Request):
            # A loop may send anything; what is no turn at all stands as one that says nothing.
            turns = [turn if isinstance(turn, dict) else {} for turn in trace.messages_at(step.n)]
            found.append(Exchange(event, turns))
        elif found and isinstance(event, Response):
            _of_turn(found, event.turn).response = event
        elif found and isinstance(event, ToolCall):
            _of_turn(found, event.turn).ran.append(Ran(event.name, event.input, event.id))
        elif found and isinstance(event, ToolResult):
            _finish(_of_turn(found, event.turn).ran, event)
    # The request over the cap was never answered: it is how the run was stopped, not something that was said.
    return found[:-1] if trace.exit.reason == "runaway" and found and found[-1].response is None else found


def steps_from(trace: Trace) -> Iterator[tuple[Exchange, Exchange]]:
    """Yield each exchange with the one after it."""
    return pairwise(exchanges(trace))


def call_form(name: object, given: object) -> str:
    """Return a call as a person writes it: ``read_file(path="a.py")``; long values are cut."""
    pairs = given.items() if isinstance(given, dict) else ()
    return f"{name}({', '.join(f'{key}={clip(wire.canonical_json(value), 40)}' for key, value in pairs)})"


def clip(text: str, width: int) -> str:
    """Return *text* on one line in at most *width* characters; a cut is marked with an ellipsis."""
    line = text.replace("\r", "").replace("\n", "\\n")
    return line if len(line) <= width else line[: width - 1] + "…"


def result_text(content: object) -> str:
    """Return what a ``tool_result`` or a handler says as one text."""
    if content is None or isinstance(content, str):
        return content or ""
    return wire.text_of(content) if isinstance(content, list) else wire.canonical_json(content)


def never_ran(call_id: object, seen: list[Exchange], before: Exchange) -> bool:
    """True when *before* asked for the call with that id and no handler ran for it, nor ever for its like."""
    call = next((block for block in before.asked if block.get("id") == call_id), None)
    if call is None:
        return False
    like = (call.get("name"), call.get("input"))
    return not any((ran.name, ran.input) == like for one in seen for ran in one.ran)


def hollow(sent: object, ran: Ran) -> bool:
    """True when the content *sent* under a call's id plainly holds nothing of what the tool said.

    A loop may shorten, wrap or re-word what its tools say, and tell failures in its own way: one word in
    common is enough, and of a failure, any text.
    """
    text = result_text(sent)
    if ran.is_error:
        return not text.strip()
    said = set(re.findall(r"\w{3,}", result_text(ran.content)))
    return bool(said) and not any(word in text for word in said)


def _of_turn(found: list[Exchange], turn: int) -> Exchange:
    return next((exchange for exchange in reversed(found) if exchange.turn == turn), found[-1])


def _finish(ran: list[Ran], event: ToolResult) -> None:
    for one in ran:
        if not one.ended and one.name == event.name and one.id == event.id:
            one.content, one.is_error, one.ended = event.content, event.is_error, True
            return
