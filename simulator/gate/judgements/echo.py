"""The assistant turn that a loop sends back: which one it is, and what it was as it came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.gate.judgements.reading import Exchange
from simulator.wire import message as wire


def as_sent(answer: Exchange) -> list[Any]:
    """Return the blocks of *answer* as a request carries them: without what an SDK adds or leaves out."""
    turns = wire.conversation({"messages": [{"role": "assistant", "content": answer.content}]})["messages"]
    return list(turns[0]["content"])


def turn_with(calls: list[wire.Block], after: Exchange) -> list[Any] | None:
    """Return the blocks of the first turn in the request *after* that holds one of *calls*; None for none."""
    return next(turns_with(calls, after), None)


def turns_with(calls: list[wire.Block], after: Exchange) -> Iterator[list[Any]]:
    """Yield the blocks of every turn in the request *after* that holds one of *calls*."""
    ids = {block.get("id") for block in calls}
    for turn in wire.conversation({"messages": after.messages})["messages"]:
        if ids & {block.get("id") for block in wire.of_type(turn["content"], "tool_use")}:
            yield turn["content"]
