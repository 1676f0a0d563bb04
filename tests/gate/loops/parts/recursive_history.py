"""Turns as values: what the recursive loop knows about a conversation. Nothing here changes anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Message = Mapping[str, Any]
Block = Mapping[str, Any]


def digest(turns: tuple[Message, ...]) -> str:
    lines = ["Some turns are left out here. What happened in them:"]
    for message in turns:
        for block in blocks_of(message):
            match block["type"]:
                case "tool_use":
                    lines.append(f"* {block['name']} {json.dumps(block['input'])}")
                case "tool_result":
                    lines.append(f"  -> {str(block['content'])[:150]}")
                case "text":
                    lines.append(f"* {block['text'][:150]}")
    return "\n".join(lines)


def lawful(history: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the caller's history with every open call answered, nothing blank, and a user's turn last."""
    done: list[Message] = []
    for message in history:
        content = tuple(block for block in blocks_of(message) if not blank(block))
        open_calls = calls_in(done[-1]) if done and done[-1]["role"] == "assistant" else ()
        if open_calls and message["role"] == "user":
            given = {block["tool_use_id"]: block for block in content if block["type"] == "tool_result"}
            results = tuple(given.get(call["id"]) or unfinished(call) for call in open_calls)
            content = (*results, *(block for block in content if block["type"] != "tool_result"))
        if content:
            done.append({**message, "content": content})
    last = done[-1] if done else {"role": "user", "content": ()}
    if calls_in(last):
        done.append({"role": "user", "content": tuple(unfinished(call) for call in calls_in(last))})
    elif last["role"] == "assistant" and last["content"][-1]["type"] == "text":
        done.append({"role": "user", "content": "Go on, please."})
    return tuple(done)


def unfinished(call: Block) -> Block:
    text = f"The earlier run ended before {call['name']} came back. It may have had an effect: check."
    return result_of(call, text, failed=True)


def frozen(message: Any) -> Message:
    content = message["content"]
    if isinstance(content, str):
        return {"role": message["role"], "content": content}
    plain_blocks = (b if isinstance(b, dict) else b.to_dict(warnings=False) for b in content)
    return {"role": message["role"], "content": tuple(json.loads(json.dumps(b)) for b in plain_blocks)}


def blocks_of(message: Message) -> tuple[Block, ...]:
    content = message["content"]
    return ({"type": "text", "text": content},) if isinstance(content, str) else tuple(content)


def blank(block: Block) -> bool:
    return block.get("type") == "text" and not block.get("text", "").strip()


def calls_in(message: Mapping[str, Any]) -> tuple[Block, ...]:
    return tuple(block for block in blocks_of(message) if block["type"] == "tool_use")


def text_in(message: Mapping[str, Any]) -> str:
    return "".join(block["text"] for block in blocks_of(message) if block["type"] == "text")


def result_of(call: Block, content: Any, failed: bool = False) -> Block:
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
    return {**block, "is_error": True} if failed else block


def content_of(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, list) and value and all(isinstance(b, dict) and "type" in b for b in value):
        return tuple(b for b in value if not blank(b)) or "(no text)"
    return (
        "(no output)" if value is None or value == "" else json.dumps(value, ensure_ascii=False, default=str)
    )


def bounded(content: Any, limit: int | None) -> Any:
    text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
    if limit is None or len(text) <= limit:
        return content
    notice = f"[shortened from {len(text)} characters]\n"
    return notice + text[: max(0, limit - len(notice))]


def without_keys(text: str) -> str:
    """Return *text* without what lets somebody in."""
    return re.sub(r"(?i)((key|token|secret|password|bearer)\W{1,3})\S+", r"\1***", text)
