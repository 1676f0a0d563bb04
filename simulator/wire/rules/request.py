"""A request body as the rules look at it: read once, kept in the shapes they need.

Rules of this file:

1. Any JSON value becomes a :class:`Request`; what is missing or of a wrong type reads as empty.
2. Each view is made once, in time linear in the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.wire import message
from simulator.wire.rules.models import Model, known_model


@dataclass(frozen=True, slots=True)
class Request:
    """The views of one request body.

    ``sent`` is the body itself, ``body`` the same where it is an object. ``messages`` are the entries as
    sent. ``turns`` are the merged ones (``wire.message.merge``); an empty string there is no block, since a
    turn is empty only if all that was merged into it is. ``live`` holds the content of each turn with None
    for every block that a later compaction block replaces: indices stay the API's. ``served`` are the ids of
    the server tool calls whose result is in the conversation.
    """

    sent: object
    body: dict[str, Any]
    messages: list[Any]
    turns: list[message.Turn]
    live: list[list[Any]]
    served: frozenset[str]
    model: Model | None

    @classmethod
    def of(cls, body: object) -> Request:
        """Return the views of *body*, which may be any JSON value."""
        fields = body if isinstance(body, dict) else {}
        sent = fields.get("messages")
        messages = sent if isinstance(sent, list) else []
        turns = message.merge([_without_empty_text(entry) for entry in messages])
        live = _after_compaction([turn["content"] for turn in turns])
        served = frozenset(served_id(block) for content in live for block in content) - {""}
        return cls(body, fields, messages, turns, live, served, known_model(fields.get("model")))

    def thinking(self) -> object:
        """Return the ``type`` of ``thinking``: "enabled", "adaptive", … or None."""
        thinking = self.body.get("thinking")
        return thinking.get("type") if isinstance(thinking, dict) else None

    def forced_tool(self) -> bool:
        """Say whether ``tool_choice`` forces a tool."""
        choice = self.body.get("tool_choice")
        return isinstance(choice, dict) and choice.get("type") in ("any", "tool")

    def beside(self, index: int, step: int) -> int | None:
        """Return the index of the turn before (*step* -1) or after (+1) the turn *index*, or None.

        Turns with the role "system" are passed over: they stand between a turn and its answer without
        being either.
        """
        index += step
        while 0 <= index < len(self.turns):
            if self.turns[index]["role"] != "system":
                return index
            index += step
        return None


def block_type(block: object) -> str:
    """Return the ``type`` of *block*, or "" where it has none."""
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def string_at(block: object, key: str) -> str:
    """Return ``block[key]`` where that is a string, else ""."""
    value = block.get(key) if isinstance(block, dict) else None
    return value if isinstance(value, str) else ""


def served_id(block: object) -> str:
    """Return the id that a result block of a server tool answers, or "" for any other block."""
    kind = block_type(block)
    return string_at(block, "tool_use_id") if kind.endswith("_tool_result") else ""


def _without_empty_text(entry: object) -> object:
    if isinstance(entry, dict) and entry.get("content") == "":
        return {**entry, "content": []}
    return entry


def _after_compaction(contents: list[list[Any]]) -> list[list[Any]]:
    """Return *contents* with None for each block before the last ``compaction`` block.

    The API drops what a compaction block summarises before it looks at the conversation, so a tool_result
    whose call lies before it is nobody's fault.
    """
    for turn in range(len(contents) - 1, -1, -1):
        for at in range(len(contents[turn]) - 1, -1, -1):
            if block_type(contents[turn][at]) == "compaction":
                before = [[None] * len(content) for content in contents[:turn]]
                return [*before, [None] * at + contents[turn][at:], *contents[turn + 1 :]]
    return contents
