"""What the generator keeps and sends: blocks of the SDK and dictionaries, side by side."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

SECRET = re.compile(r"\b(?:sk|pk|ghp|xox\w)[-_][\w-]+|(?i:api_key|secret|token|password)=\S+")


def kind(block: Any) -> str:
    return block["type"] if isinstance(block, dict) else block.type


def part(block: Any, name: str) -> Any:
    return block.get(name) if isinstance(block, dict) else getattr(block, name, None)


def blocks(turn: Any) -> list[Any]:
    content = turn["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def sendable(content: Any) -> list[Any]:
    """Return *content* without text that is blank: the API writes such blocks, but refuses them."""
    return [block for block in content if kind(block) != "text" or part(block, "text").strip()]


def calls_in(content: Any) -> list[Any]:
    return [block for block in content if kind(block) == "tool_use"]


def text_of(content: Any) -> str:
    return "".join(part(block, "text") for block in content if kind(block) == "text")


def plain(value: Any) -> Any:
    """Return *value* as JSON: what somebody else may look at and change."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.to_dict(warnings=False) if hasattr(value, "to_dict") else copy.deepcopy(value)


def success(call_id: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def failure(call_id: str, text: str) -> dict[str, Any]:
    return {**success(call_id, text), "is_error": True}


def annotate(result: dict[str, Any], note: str) -> None:
    content = result["content"]
    if isinstance(content, str):
        result["content"] = f"{content}\n({note})"
    else:
        result["content"] = [*content, {"type": "text", "text": note}]


def explanation(call: Any, error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    reason = lines[-1] if lines and lines[0].startswith("Traceback") else "\n".join(lines)
    reason = SECRET.sub("(secret)", reason)
    return (
        f"Error in {call.name}: {reason or type(error).__name__}\nInput was {json.dumps(call.input)}. "
        "Find out what is possible, then try with other input, or without this tool."
    )


def content_for(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(b, dict) and "type" in b for b in value):
        return sendable(value) or "(no text)"
    if isinstance(value, str):
        return value or "(no text)"
    return "(nothing came back)" if value is None else json.dumps(value, ensure_ascii=False)


def clipped(content: Any, limit: int | None) -> Any:
    text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
    if limit is None or len(text) <= limit:
        return content
    notice = f" ... [only the beginning of {len(text)} characters]"
    return text[: max(0, limit - len(notice))] + notice


def with_facts(system: Any, pinned: list[str]) -> Any:
    if not pinned:
        return system
    facts = [{"type": "text", "text": f"Fact: {fact}"} for fact in pinned]
    before = [{"type": "text", "text": system}] if isinstance(system, str) and system else list(system or [])
    return [*before, *facts]


def tool_names(tools: list[Any]) -> list[str]:
    return [str(part(tool, "name") or tool["name"]) for tool in tools]


def is_too_long(error: Exception) -> bool:
    return getattr(error, "status_code", 0) == 413 or "prompt is too long" in str(error)


def recap(turns: list[Any]) -> str:
    lines = ["Left out here, in a few words:"]
    for turn in turns:
        for block in blocks(turn):
            match kind(block):
                case "tool_use":
                    lines.append(f"- you used {part(block, 'name')} with {json.dumps(part(block, 'input'))}")
                case "tool_result":
                    lines.append(f"  and got {str(part(block, 'content'))[:130]}")
                case "text":
                    lines.append(f"- {turn['role']} said {part(block, 'text')[:130]}")
    return "\n".join(lines)


def seams(history: list[Any], given: int) -> list[int]:
    """Return where the history may be opened: in front of an assistant's turn that follows a user's."""
    return [
        place
        for place in range(given, len(history))
        if history[place]["role"] == "assistant" and history[place - 1]["role"] == "user"
    ]


def continued(messages: Any) -> list[dict[str, Any]]:
    """Return a copy of the caller's history that can be sent: no call open, nothing blank, a user last."""
    turns: list[dict[str, Any]] = []
    for message in plain(list(messages)):
        content = sendable(blocks(message))
        waiting = calls_in(turns[-1]["content"]) if turns and turns[-1]["role"] == "assistant" else []
        given = {part(block, "tool_use_id") for block in content}
        lost = [failure(call["id"], unknown(call)) for call in waiting if call["id"] not in given]
        if message["role"] == "user":
            content = [*lost, *content]
        elif lost:
            turns.append({"role": "user", "content": lost})
        if content:
            turns.append({"role": message["role"], "content": content})
    if turns and turns[-1]["role"] == "assistant":
        lost = [failure(call["id"], unknown(call)) for call in calls_in(turns[-1]["content"])]
        if lost:
            turns.append({"role": "user", "content": lost})
        elif kind(turns[-1]["content"][-1]) == "text":
            turns.append({"role": "user", "content": "Please go on."})
    return turns


def unknown(call: Any) -> str:
    return f"{call['name']} was interrupted. Nobody knows whether it had an effect; find out first."
