"""What if one answer of a run had ended with another signal.

The answer to request n keeps what the recording has of it, changed as the API would have it:

=================================  =========================================================================
``end_turn`` ``stop_sequence``     the calls are not made, the text stands
``max_tokens`` and                 the text, or the last text of the last call's input, is cut in half, and
``model_context_window_exceeded``  what would follow it is missing
``pause_turn``                     a call of a server tool, whose result is still to come
``refusal``                        no content
``tool_use``, any other            the content stands: ``tool_use`` without a call, a signal nobody knows
=================================  =========================================================================

Rules of this file:

1. Asked the same again, the API ends its answer in the same way again; only where ``max_tokens`` is larger
   than it was does the cut answer come whole.
2. A paused answer that is sent back as it is goes on to what was recorded. What belongs to the pause (the
   call of the server tool, its result) is no part of the recorded conversation, and is left out of it before
   the recording is searched.
3. Everything else that a loop sends finds its answer in the usual order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.recording import mint
from simulator.text import say
from simulator.text.visible import visible
from simulator.wire.message import Block, blocks, text_of

Message = dict[str, Any]

QUERY = 60
"""Characters of the task that a paused search looks for."""


def checked(what_if: object) -> dict[int, str]:
    """Return *what_if*, request number (from 1) -> signal. Raises ValueError for anything else."""
    if what_if is None:
        return {}
    if not isinstance(what_if, Mapping):
        raise ValueError(say("replay.what_if.kind", seen=type(what_if).__name__))
    for turn, signal in what_if.items():
        if type(turn) is not int or turn < 1:
            raise ValueError(say("replay.what_if.turn", seen=visible(repr(turn)[:40])))
        if not isinstance(signal, str) or not signal.strip():
            raise ValueError(say("replay.what_if.signal", turn=turn, seen=visible(repr(signal)[:40])))
    return dict(what_if)


@dataclass(frozen=True)
class Ended:
    """An answer that is not the recorded one: its ``message``, and the recorded signal it has another for."""

    message: Message
    instead_of: str | None
    room: object = None
    """``max_tokens`` of the request, where more of it would bring the whole answer."""

    def lasts(self, body: Mapping[str, Any]) -> bool:
        """Return whether the request *body*, with the same conversation, gets this answer again (rule 1)."""
        asked = body.get("max_tokens")
        more = isinstance(asked, int) and isinstance(self.room, int) and asked > self.room
        return not more


class WhatIf:
    """What is to end otherwise in one run, and what has."""

    def __init__(self, turns: Mapping[int, str]) -> None:
        self._turns = turns
        self._ended: dict[str, Ended] = {}
        self._pauses: set[object] = set()

    def searched(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return *body* without what belongs to a pause (rule 2); the same object where there is nothing."""
        messages = body.get("messages")
        if not self._pauses or not isinstance(messages, list):
            return body
        kept = [message for each in messages if (message := self._without_pauses(each)) is not None]
        same = len(kept) == len(messages) and all(a is b for a, b in zip(kept, messages, strict=True))
        return body if same else {**body, "messages": kept}

    def ended(self, turn: int, digest: str, body: dict[str, Any], recorded: Message) -> Ended | None:
        """Return the answer to request *turn*, sent with *digest* and *body*; None: it is as *recorded*."""
        before = self._ended.get(digest)
        if turn not in self._turns and before is not None and before.lasts(body):
            return before
        whole = {**recorded, "content": [*self._found(body), *blocks(recorded.get("content"))]}
        if turn not in self._turns:
            return (
                Ended(whole, None) if len(whole["content"]) > len(blocks(recorded.get("content"))) else None
            )
        signal, was = self._turns[turn], recorded.get("stop_reason")
        message = whole if signal == was else _ended(whole, signal, body, turn)
        self._pauses |= {block["id"] for block in message["content"] if _is_paused(block)}
        room = body.get("max_tokens") if signal == "max_tokens" and signal != was else None
        self._ended[digest] = Ended(message, str(was), room)
        return self._ended[digest]

    def _without_pauses(self, message: Any) -> Any:
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list) or message.get("role") != "assistant":
            return message
        kept = [block for block in content if not self._of_pause(block)]
        if len(kept) == len(content):
            return message
        return {**message, "content": kept} if kept else None

    def _of_pause(self, block: Any) -> bool:
        return isinstance(block, dict) and bool({block.get("id"), block.get("tool_use_id")} & self._pauses)

    def _found(self, body: dict[str, Any]) -> list[Block]:
        """Return the results with which the answer to *body* begins: what its paused last turn waits for."""
        messages = body.get("messages")
        last = messages[-1] if isinstance(messages, list) and messages else None
        if not isinstance(last, dict) or last.get("role") != "assistant":
            return []
        waiting = [block for block in blocks(last.get("content")) if self._of_pause(block)]
        served = {block.get("tool_use_id") for block in waiting}
        return [
            {"type": "web_search_tool_result", "tool_use_id": block["id"], "content": []}
            for block in waiting
            if _is_paused(block) and block["id"] not in served
        ]


def _ended(whole: Message, signal: str, body: Mapping[str, Any], turn: int) -> Message:
    """Return the message *whole* as it is when it ends with *signal*."""
    content, message_id = whole["content"], str(whole.get("id"))
    more: Message = {}
    match signal:
        case "max_tokens" | "model_context_window_exceeded":
            content = _cut(content)
        case "pause_turn":
            results = [block for block in content if block.get("type") == "web_search_tool_result"]
            content = [*results, _search(body, mint.mint("srvtoolu", message_id, turn))]
        case "refusal":
            content = []
            more = {"stop_details": {"type": "refusal", "category": None, "explanation": None}}
        case "end_turn" | "stop_sequence":
            content = [block for block in content if block.get("type") != "tool_use"]
        case _:
            pass  # tool_use, and what nobody has heard of: the answer stays as it is.
    spent: object = mint.output_tokens(content) if content != whole["content"] else None
    if signal == "max_tokens":
        spent = body.get("max_tokens")
    stated = whole.get("usage")
    usage = stated if isinstance(stated, dict) else {}
    return {
        **whole,
        "id": mint.mint("msg", message_id, turn, signal),
        "content": content,
        "stop_reason": signal,
        "stop_sequence": _sequence(body) if signal == "stop_sequence" else None,
        "usage": {**usage, "output_tokens": spent} if isinstance(spent, int) else usage,
        **more,
    }


def _cut(content: list[Block]) -> list[Block]:
    """Return *content* with its last text, or the last text of its last call's input, cut in half."""
    if not content:
        return []
    *before, last = content
    match last:
        case {"type": "text", "text": str(text)} if len(text) > 1:
            last = {**last, "text": text[: len(text) // 2]}
        case {"type": "tool_use", "input": dict(given)}:
            keys = list(given)
            at = max((n for n, key in enumerate(keys) if isinstance(given[key], str)), default=-1)
            kept = {key: given[key] for key in keys[: max(at, 0)]}
            half = given[keys[at]][: len(given[keys[at]]) // 2] if at >= 0 else ""
            last = {**last, "input": {**kept, keys[at]: half} if half else kept}
        case _:
            pass  # Nothing in it can be cut.
    return [*before, last]


def _search(body: Mapping[str, Any], call_id: str) -> Block:
    """Return a call of the server tool that *body* offers, or of web_search, for what its task says."""
    tools = body.get("tools")
    offered = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    searches = [tool for tool in offered if str(tool.get("type")).startswith("web_search")]
    name = searches[0].get("name") if searches else "web_search"
    messages = body.get("messages")
    task = messages[0].get("content") if isinstance(messages, list) and messages else ""
    query = " ".join(text_of(task).split())[:QUERY]
    return {"type": "server_tool_use", "id": call_id, "name": name, "input": {"query": query}}


def _is_paused(block: Block) -> bool:
    return block.get("type") == "server_tool_use"


def _sequence(body: Mapping[str, Any]) -> str:
    """Return the stop sequence that was reached: the first that *body* asks for."""
    asked = body.get("stop_sequences")
    return str(asked[0]) if isinstance(asked, list) and asked else "\n\n"
