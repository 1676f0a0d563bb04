"""What of a conversation one request carries: how large it is, what it tells the model, what it left out.

Rules of this file:

1. A loop may ask its model on the side (for a summary of old turns). Such an aside is a request whose answer
   asks for nothing and does not stand in the conversation that goes on; it is not judged as a turn of it.
2. What a loop tells its model is in user turns, in results, or in the system prompt; all three count.
3. A first request that the recording itself answered is the caller's, word for word. In any other, words of
   the loop may stand beside the task, and nobody can tell which is which.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.ending import squeeze
from simulator.gate.judgements.reading import Exchange, result_text
from simulator.gate.options import OPTIONS
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

HEAD = 100
"""Characters at the beginning of a result by which it is recognised in a request."""


def option(trace: Trace, name: str) -> Any:
    """Return what the loop was given for the option *name* (of ``gate.options``), or None."""
    given = (trace.loop or {}).get("arguments", {})
    return next((given[each] for each in OPTIONS[name].names if given.get(each) is not None), None)


def size(one: Exchange) -> int:
    """Return the characters of the messages of a request, as JSON."""
    return len(wire.canonical_json(one.messages))


def main_line(seen: list[Exchange]) -> list[Exchange]:
    """Return the exchanges that are turns of the conversation (rule 1)."""
    left_out = {one.turn for one, after in pairwise(seen) if _aside(one, after)}
    return [one for one in seen if one.turn not in left_out]


def longest_aside(seen: list[Exchange]) -> int:
    """Return how many asides stand in a row at most."""
    turns = {one.turn for one in main_line(seen)}
    longest = now = 0
    for one in seen:
        now = 0 if one.turn in turns else now + 1
        longest = max(longest, now)
    return longest


def told(trace: Trace, one: Exchange) -> str:
    """Return all that a request tells the model (rule 2), on one line."""
    system = one.request.parameters.get("system", trace.system)
    return squeeze(" ".join([wire.text_of(wire.blocks(system)), said_to_model(one.messages)]))


def said_to_model(messages: list[dict[str, Any]]) -> str:
    """Return the text of the user turns of *messages*, results included."""
    found = []
    for turn in messages:
        if turn.get("role") == "user":
            found.append(wire.text_of(turn.get("content")))
            found += [
                result_text(block.get("content"))
                for block in wire.of_type(turn.get("content"), "tool_result")
            ]
    return squeeze(" ".join(found))


def shortened(before: Exchange, after: Exchange) -> bool:
    """True when *after* lacks a call or a result that *before* had, or has it in another form."""
    kept = {wire.canonical_json(block) for block in _pairs(after.messages)}
    return any(wire.canonical_json(block) not in kept for block in _pairs(before.messages))


def stands_in(content: object, text: str) -> bool:
    """True when the beginning of what a tool said stands in *text* word for word; layout does not matter."""
    lines = [line for line in result_text(content).splitlines() if line.strip()]
    return not lines or _letters(lines[0][:HEAD]) in _letters(text)


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of *text* that are long enough to be told from others."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [squeeze(part) for part in parts if len(squeeze(part)) >= 20]


def is_the_callers(one: Exchange) -> bool:
    """True when a first request holds the caller's words and nothing else (rule 3)."""
    return one.response is not None and one.response.by == "recording"


def _aside(one: Exchange, after: Exchange) -> bool:
    if one.response is None or one.response.error is not None or one.asked or not one.content:
        return False
    said = [wire.text_of(turn.get("content")) for turn in after.messages if turn.get("role") == "assistant"]
    return squeeze(one.text) not in [squeeze(text) for text in said]


def _pairs(messages: list[dict[str, Any]]) -> list[wire.Block]:
    plain = wire.conversation({"messages": messages})["messages"]
    return [*wire.calls(plain), *wire.results(plain)]


def _letters(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))
