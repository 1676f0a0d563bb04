"""What a loop did with one answer: which tests it took, what it ran, what it sent next, how it ended.

Rules of this file:

1. Everything is read from the trace; nothing is judged.
2. What was sent next is told from the messages themselves: what stands in the next request that the one
   before and its answer do not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from simulator.trace.document import Trace
from simulator.trace.events import Branch, Exit, Request, Response, ToolCall
from simulator.wire.message import conversation, of_type

Next = Literal["same", "more_room", "resent", "results", "nudge", "other"]
"""The next request: the same conversation again; with a larger ``max_tokens``; the answer as it is, and
nothing after it; results of calls; a user turn of words; anything else.
"""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of the answer to request ``turn``."""

    turn: int
    came: bool
    """Whether there was such an answer, and no error in its place."""
    tests: tuple[Branch, ...]
    """The tests that the loop was seen to take on it, its own limits included, in order."""
    ran: tuple[str, ...]
    """The tools it ran, in order."""
    next: Next | None
    """What it sent next; None where it sent nothing more."""
    max_tokens: int | None
    """``max_tokens`` of that request."""
    requests: int
    """How many requests it sent after the answer."""
    exit: Exit


def aftermath(trace: Trace, turn: int) -> Aftermath:
    """Return what the loop of *trace* did with the answer to its request number *turn* (from 1)."""
    answered = [
        step.n
        for step in trace.steps
        if isinstance(step.event, Response) and step.event.turn == turn and step.event.status == 200
    ]
    later = trace.steps[answered[0] + 1 :] if answered else ()
    asked = [step.n for step in later if isinstance(step.event, Request)]
    until = asked[0] if asked else len(trace.steps)
    events = [step.event for step in later if step.n < until]
    following = trace.steps[asked[0]].event if asked else None
    return Aftermath(
        turn=turn,
        came=bool(answered),
        tests=tuple(event for event in events if isinstance(event, Branch) and event.test),
        ran=tuple(event.name for event in events if isinstance(event, ToolCall)),
        next=_next(trace, answered[0], asked[0]) if asked else None,
        max_tokens=following.parameters.get("max_tokens") if isinstance(following, Request) else None,
        requests=len(asked),
        exit=trace.exit,
    )


def _next(trace: Trace, answered: int, asked: int) -> Next:
    """Return what the request at step *asked* adds to the answer at step *answered*."""
    first = next(step for step in reversed(trace.steps[:answered]) if isinstance(step.event, Request))
    before, now = first.event, trace.steps[asked].event
    if isinstance(before, Request) and isinstance(now, Request) and before.digest == now.digest:
        room, more = (each.parameters.get("max_tokens") for each in (before, now))
        larger = isinstance(room, int) and isinstance(more, int) and more > room
        return "more_room" if larger else "same"
    return _added(_turns(trace, first.n), _turns(trace, asked))


def _added(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> Next:
    """Return what the merged turns *now* have that the turns *before*, to which an answer came, have not."""
    if now[: len(before)] == before and len(now) > len(before):
        last = now[-1]
        if last["role"] != "user":
            return "resent"
        return "results" if of_type(last["content"], "tool_result") else "nudge"
    # Where the answer was left out, a user turn is joined to the one before.
    *told, mine = now or [{}]
    *rest, asked = before or [{}]
    asked_blocks, blocks = asked.get("content", []), mine.get("content", [])
    grown = told == rest and mine.get("role") == "user" and blocks[: len(asked_blocks)] == asked_blocks
    return "nudge" if grown else "other"


def _turns(trace: Trace, n: int) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = conversation({"messages": trace.messages_at(n)})["messages"]
    return turns
