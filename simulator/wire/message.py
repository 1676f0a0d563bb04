"""Blocks and turns: the canonical form of a conversation, and its digest.

Rules of this file:

1. Nothing here refuses anything. Any JSON value goes in, however wrong; ``wire.rules`` says what is wrong.
2. Two requests have one digest exactly when they carry the same conversation to the model. What an SDK adds
   on the way (nulls, ``caller``) or what only steers billing and caching (``cache_control``) does not count.
3. Comparison is type-strict: ``1``, ``1.0`` and ``true`` are three values. A ``tool_use`` input is the
   model's own and is never touched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Block = dict[str, Any]
"""One content block, as in the API: ``{"type": "text", "text": ...}``, ``{"type": "tool_use", ...}`` …"""

Turn = dict[str, Any]
"""One entry of ``messages[]``: ``{"role": "user" | "assistant" | "system", "content": str | list}``."""

PARAMETERS = ("max_tokens", "tool_choice", "thinking", "model")
"""What a request asks for besides its conversation, and a recording can tell apart."""

_SILENT = frozenset({"cache_control", "caller"})


def canonical_json(value: object) -> str:
    """Return *value* as JSON text that is equal for equal values: keys sorted, types strict, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sha256(value: object) -> str:
    """Return the hex SHA-256 of the canonical JSON of *value*."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def blocks(content: object) -> list[Any]:
    """Return *content* as a list of blocks: a string is one text block, what is no content is none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, list) else []


def merge(messages: object) -> list[Turn]:
    """Return the turns of *messages* as the API counts them: same-role neighbours joined, content as blocks.

    The index in an API error ("messages.2") is an index into this list. Entries that are not objects are
    passed over. The turns returned are new; their blocks are those of *messages*.
    """
    turns: list[Turn] = []
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, dict):
            continue
        if turns and turns[-1]["role"] == message.get("role"):
            turns[-1]["content"] += blocks(message.get("content"))
        else:
            turns.append({"role": message.get("role"), "content": blocks(message.get("content"))})
    return turns


def conversation(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what *body* carries to the model: ``{"messages", "system", "tools"}`` in canonical form.

    ``messages`` are merged turns, ``system`` is a list of blocks, ``tools`` the sorted names on offer.
    """
    return {
        "messages": [
            {"role": turn["role"], "content": [_plain(block) for block in turn["content"]]}
            for turn in merge(body.get("messages"))
        ],
        "system": [_plain(block) for block in blocks(body.get("system"))],
        "tools": sorted(tool_names(body)),
    }


def digest(body: Mapping[str, Any]) -> str:
    """Return the key of *body* in a recording: the hex SHA-256 of its :func:`conversation`."""
    return sha256(conversation(body))


def parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the :data:`PARAMETERS` that *body* states."""
    return {name: body[name] for name in PARAMETERS if body.get(name) is not None}


def tool_names(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that *body* offers, in their order."""
    tools = body.get("tools")
    offered = tools if isinstance(tools, list) else []
    return [tool["name"] for tool in offered if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def of_type(content: object, *types: str) -> list[Block]:
    """Return the blocks of *content* whose ``type`` is one of *types*, in order."""
    return [b for b in blocks(content) if isinstance(b, dict) and b.get("type") in types]


def text_of(content: object) -> str:
    """Return the text of *content*: its text blocks, joined by line feeds."""
    return "\n".join(str(block.get("text", "")) for block in of_type(content, "text"))


def calls(messages: Iterable[object]) -> Iterator[Block]:
    """Yield every ``tool_use`` block of *messages*, in order."""
    for message in messages:
        if isinstance(message, dict) and message.get("role") == "assistant":
            yield from of_type(message.get("content"), "tool_use")


def results(messages: Iterable[object]) -> Iterator[Block]:
    """Yield every ``tool_result`` block of the user turns of *messages*, in order."""
    for message in messages:
        if isinstance(message, dict) and message.get("role") == "user":
            yield from of_type(message.get("content"), "tool_result")


def first_difference(left: object, right: object, path: str = "") -> tuple[str, object, object] | None:
    """Return the first ``(path, left value, right value)`` in which two JSON values differ, or None.

    *path* is dotted as in API errors: ``messages.2.content.0.text``. A missing key or entry is
    :data:`ABSENT`. Types are compared strictly.
    """
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        keys: Sequence[Any] = [*left, *(key for key in right if key not in left)]
    elif isinstance(left, list) and isinstance(right, list):
        keys = range(max(len(left), len(right)))
    else:
        same = type(left) is type(right) and left == right
        return None if same else (path, left, right)
    for key in keys:
        found = first_difference(_at(left, key), _at(right, key), f"{path}.{key}" if path else str(key))
        if found:
            return found
    return None


class _Absent:
    """The value of a place that is not there."""

    def __repr__(self) -> str:
        return "(absent)"


ABSENT = _Absent()


def _at(value: Any, key: Any) -> object:
    if isinstance(value, list):
        return value[key] if key < len(value) else ABSENT
    return value.get(key, ABSENT)


def _plain(block: object) -> object:
    """Return *block* without what is silent on the wire (rule 2)."""
    if not isinstance(block, dict):
        return block
    plain: Block = {}
    for key, value in block.items():
        if value is None or key in _SILENT or (key == "is_error" and value is False):
            continue
        if key == "content":
            # A tool_result's string is one text block; so is an empty or missing content no block at all.
            value = [_plain(item) for item in blocks(value) if item != {"type": "text", "text": ""}]
        plain[key] = value
    if plain.get("type") == "tool_result":
        plain.setdefault("content", [])
    return plain
