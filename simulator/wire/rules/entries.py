"""Rules about the shape of ``messages`` and of each entry in it: role, content, keys.

Indices here are those of the entries as sent: the API looks at shapes before it merges anything.
"""

from __future__ import annotations

from simulator.wire.rules.table import Check, Fault, Place, Rule, when
from simulator.wire.rules.vocabulary import MESSAGE_KEYS, ROLES


def _messages_not_list(place: Place) -> Fault | None:
    return when(not isinstance(place.value["messages"], list), "messages")


def _lacks(key: str) -> Check:
    return lambda place: when(key not in place.value, f"{place.path}.{key}")


def _role_tool(place: Place) -> Fault | None:
    return when(place.value["role"] == "tool", place.path)


def _role_unknown(place: Place) -> Fault | None:
    role = place.value["role"]
    return when(isinstance(role, str) and role not in ROLES, place.path, role=role)


def _content_not_list(place: Place) -> Fault | None:
    return when(not isinstance(place.value["content"], str | list), f"{place.path}.content")


def _unknown_key(place: Place) -> Fault | None:
    return next((Fault(f"{place.path}.{key}") for key in place.value if key not in MESSAGE_KEYS), None)


REQUEST = (
    Rule(
        "messages.missing", "{path}: Field required", (89,), "L", "request",
        lambda place: when("messages" not in place.value, "messages"), "parameter.missing",
    ),
    Rule(
        "messages.not_list", "messages: Input should be a valid array", (47,), "M", "request",
        _messages_not_list, "shape.wrong_type", note="by the wording of row 47",
    ),
    Rule(
        "messages.empty", "messages: at least one message is required", (31,), "L", "request",
        lambda place: when(not place.value["messages"], "messages"), "messages.empty",
    ),
)  # fmt: skip

ENTRY = (
    Rule(
        "message.not_object", "{path}: Input does not match the expected shape.", (46,), "R", "message",
        lambda place: when(not isinstance(place.value, dict), place.path), "message.not_object",
        note="also seen in 2026: 'Input should be an object'",
    ),
    Rule(
        "message.role_missing", "{path}: Field required", (50,), "M", "message", _lacks("role"),
        "message.role",
    ),
    Rule(
        "message.role_tool",
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant". For instructions on how '
        "to use tools, see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
        (35,), "L", "message", _role_tool, "message.role_tool",
    ),
    Rule(
        "message.role_unknown",
        'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant"',
        (35,), "M", "message", _role_unknown, "message.role",
        note="row 35 without the sentence about tools: developer, function, model, human, …",
    ),
    Rule(
        "message.content_missing", "{path}: Field required", (50,), "M", "message", _lacks("content"),
        "message.content",
    ),
    Rule(
        "message.content_not_list", "{path}: Input should be a valid array", (47,), "L", "message",
        _content_not_list, "message.content",
        older=("{path}: Input should be a valid list",),
    ),
)  # fmt: skip

ENTRY_END = (
    Rule(
        "message.unknown_key", "{path}: Extra inputs are not permitted", (98,), "M", "message_end",
        _unknown_key, "message.unknown_key",
        note="the wording of row 98 inside a message: a whole response appended, reasoning_content, name, …",
    ),
)  # fmt: skip
