"""The conversation of a run: taken from the caller, echoed to the API, and lawful wherever it is cut.

Rules of this file:

1. What the caller gave is copied, never changed. What the model said is echoed as it came (thinking,
   signatures, server blocks, order), with one exception: the API refuses blank text blocks that it wrote
   itself.
2. Every ``tool_use`` is answered exactly once, in the order of the calls, in one user turn, results first.
3. A call that was not run is answered too, as an error that says so; that is what makes any cut lawful.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.wire.message import Block, Turn, blocks, of_type


def plain(value: Any) -> Any:
    """Return *value* as JSON of its own: SDK objects as they came over the wire, containers copied."""
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, (dict, Mapping)):  # dict first: an abstract class is slow to ask
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "model_dump") and hasattr(value, "to_dict"):
        return value.to_dict(warnings=False)  # A block the SDK does not know is echoed, not warned about.
    return value.to_dict() if hasattr(value, "to_dict") else copy.deepcopy(value)


def taken(messages: Iterable[Any], note: str) -> tuple[Turn, ...]:
    """Return the caller's *messages* as a lawful start: copied, and each open call of theirs answered by
    *note*.

    A run that was cut leaves calls without results. They are not run again, since nobody knows how far they
    got; the note tells the model so.
    """
    turns: list[Turn] = []
    for message in plain(list(messages)):
        answer = _answers_missing(turns, message, note)
        if answer:
            turns.append({"role": "user", "content": answer})
        turns.append(message)
    open_calls = calls_of(turns[-1]) if turns else []
    if open_calls:
        turns.append(user(error_result(call, note) for call in open_calls))
    return tuple(turns)


def _answers_missing(turns: Sequence[Turn], message: Any, note: str) -> list[Block]:
    """Return results for the calls of the last turn that *message* leaves open.

    They stand in a user turn of their own before it, which the API merges with it: results come first.
    """
    if not turns or not isinstance(message, dict) or message.get("role") != "user":
        return []
    given = {block.get("tool_use_id") for block in of_type(message.get("content"), "tool_result")}
    return [error_result(call, note) for call in calls_of(turns[-1]) if call.get("id") not in given]


def echo(content: object) -> list[Any]:
    """Return the *content* of an answer as the next request has to hold it (rule 1)."""
    return [block for block in blocks(content) if not _blank(block)]


def _blank(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not str(block.get("text", "")).strip()


def assistant(content: object) -> tuple[Turn, ...]:
    """Return the assistant turn with this *content*, or nothing where it has none: an empty turn is
    refused.
    """
    kept = echo(content)
    return ({"role": "assistant", "content": kept},) if kept else ()


def user(content: Iterable[Block]) -> Turn:
    """Return a user turn of these blocks."""
    return {"role": "user", "content": list(content)}


def words(text: str) -> Turn:
    """Return a user turn of one text."""
    return user([{"type": "text", "text": text}])


def calls_of(turn: object) -> list[Block]:
    """Return the ``tool_use`` blocks of an assistant *turn*; server tools are not among them."""
    if not isinstance(turn, dict) or turn.get("role") != "assistant":
        return []
    return of_type(turn.get("content"), "tool_use")


def error_result(call: Block, text: str) -> Block:
    """Return the answer to *call* that it failed, with *text* for the model."""
    return {"type": "tool_result", "tool_use_id": call.get("id"), "content": text, "is_error": True}


def with_note(block: Block, note: str) -> Block:
    """Return a result with a *note* of the loop added to its content.

    It goes into the result, not beside it: text next to results is refused where a server tool is pending.
    """
    content = block.get("content")
    if isinstance(content, list):
        return {**block, "content": [*content, {"type": "text", "text": note}]}
    return {**block, "content": f"{content}\n\n{note}" if content else note}
