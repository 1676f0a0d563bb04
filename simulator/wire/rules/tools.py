"""Rules about ``tools`` and ``tool_choice``.

A typed tool (``bash_20250124``, ``web_search_…``) is the API's own and is not looked into.
"""

from __future__ import annotations

import re

from simulator.wire.rules.schema import is_broken
from simulator.wire.rules.table import Check, Fault, Place, Rule, when
from simulator.wire.rules.vocabulary import (
    FOREIGN_TOOL_KEYS,
    FOREIGN_TOOL_TYPES,
    TOOL_CHOICES,
    TOOL_TAGS,
)

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_UNIONS = ("oneOf", "allOf", "anyOf")


def _custom(place: Place) -> bool:
    return isinstance(place.value, dict) and place.value.get("type") in (None, "custom")


def _schema(place: Place) -> dict[str, object] | None:
    """Return the input schema of the custom tool at *place*, if it has one that is an object."""
    schema = place.value.get("input_schema") if _custom(place) else None
    return schema if isinstance(schema, dict) else None


def _tools_not_list(place: Place) -> Fault | None:
    return when(not isinstance(place.value.get("tools", []), list), "tools")


def _foreign_type(place: Place) -> Fault | None:
    kind = place.value.get("type")
    return when(isinstance(kind, str) and kind in FOREIGN_TOOL_TYPES, place.path, tag=kind)


def _schema_missing(place: Place) -> Fault | None:
    return when(_custom(place) and "input_schema" not in place.value, f"{place.path}.custom.input_schema")


def _name(place: Place) -> str | None:
    name = place.value.get("name") if _custom(place) else None
    return name if isinstance(name, str) else None


def _name_too_long(place: Place) -> Fault | None:
    return when(len(_name(place) or "") > 128, f"{place.path}.custom.name")


def _name_pattern(place: Place) -> Fault | None:
    name = _name(place)
    return when(name is not None and not _NAME.fullmatch(name), f"{place.path}.custom.name")


def _on_schema(test: Check, suffix: str) -> Check:
    def check(place: Place) -> Fault | None:
        broken = _schema(place) is not None and test(place) is not None
        return when(broken, f"{place.path}.custom.input_schema{suffix}")

    return check


def _no_type(place: Place) -> Fault | None:
    return when("type" not in (_schema(place) or {}), None)


def _union(place: Place) -> Fault | None:
    return when(any(key in (_schema(place) or {}) for key in _UNIONS), None)


def _property_key(place: Place) -> Fault | None:
    properties = (_schema(place) or {}).get("properties")
    keys = properties if isinstance(properties, dict) else {}
    return when(not all(_PROPERTY.fullmatch(key) for key in keys), None)


def _strict_but_open(place: Place) -> Fault | None:
    schema = _schema(place)
    open_object = schema is not None and schema.get("additionalProperties") is not False
    strict = open_object and place.value.get("strict") is True
    return when(strict and (schema or {}).get("type") == "object", f"{place.path}.custom")


def _foreign_key(place: Place) -> Fault | None:
    keys = place.value if _custom(place) else {}
    return next((Fault(f"{place.path}.custom.{key}") for key in keys if key in FOREIGN_TOOL_KEYS), None)


def _duplicate_names(place: Place) -> Fault | None:
    tools = place.value.get("tools", [])
    names = [tool["name"] for tool in tools if isinstance(tool.get("name"), str)]
    return when(len(names) != len(set(names)), "tools")


def _choice_not_object(place: Place) -> Fault | None:
    return when(not isinstance(place.value.get("tool_choice", {}), dict), "tool_choice")


def _choice_type_missing(place: Place) -> Fault | None:
    return when("type" not in place.value.get("tool_choice", {"type": "auto"}), "tool_choice.type")


def _choice_unknown(place: Place) -> Fault | None:
    kind = place.value.get("tool_choice", {"type": "auto"})["type"]
    return when(kind not in TOOL_CHOICES, "tool_choice", tag=kind)


def _choice_without_tools(place: Place) -> Fault | None:
    # "none" asks for nothing that is not there; MCP servers bring tools of their own.
    asks = place.value.get("tool_choice", {"type": "none"})["type"] != "none"
    return when(asks and not place.value.get("tools") and not place.value.get("mcp_servers"), "tool_choice")


TOOL_CHOICE = (
    Rule(
        "tool_choice.not_object", "tool_choice: Input should be an object", (69,), "L", "request",
        _choice_not_object, "tool_choice.wrong",
        older=("tool_choice: Input should be a valid dictionary or object to extract fields from",),
    ),
    Rule(
        "tool_choice.type_missing", "tool_choice.type: Field required", (50, 70), "M", "request",
        _choice_type_missing, "tool_choice.wrong", note="by the wording of row 50",
    ),
    Rule(
        "tool_choice.unknown_type",
        "tool_choice: Input tag '{tag}' found using 'type' does not match any of the expected tags: "
        "'auto', 'any', 'tool', 'none'",
        (70,), "L", "request", _choice_unknown, "tool_choice.wrong",
    ),
    Rule(
        "tool_choice.without_tools", "tool_choice may only be specified while providing tools.", (71,), "L",
        "request", _choice_without_tools, "tool_choice.without_tools",
    ),
)  # fmt: skip

TOOLS = (
    Rule(
        "tools.not_list", "tools: Input should be a valid array", (47,), "M", "request", _tools_not_list,
        "shape.wrong_type", note="by the wording of row 47; null is not absence here either",
    ),
    Rule(
        "tool.not_object", "{path}: Input should be an object", (50,), "M", "tool",
        lambda place: when(not isinstance(place.value, dict), place.path), "shape.wrong_type",
        note="by the wording of row 50",
    ),
    Rule(
        "tool.unknown_type",
        "{path}: Input tag '{tag}' found using 'type' does not match any of the expected tags: " + TOOL_TAGS,
        (67,), "L", "tool", _foreign_type, "tool.foreign",
        note="the list of tags grows; the row's is of March 2025",
    ),
    Rule(
        "tool.name_too_long", "{path}: String should have at most 128 characters", (57,), "M", "tool",
        _name_too_long, "tool.name",
    ),
    Rule(
        "tool.name_pattern", "{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'", (56,), "L",
        "tool", _name_pattern, "tool.name",
        older=("{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'",),
    ),
    Rule(
        "tool.schema_missing", "{path}: Field required", (58,), "L", "tool", _schema_missing,
        "tool.schema_missing",
    ),
    Rule(
        "tool.foreign_key", "{path}: Extra inputs are not permitted", (65,), "L", "tool", _foreign_key,
        "tool.foreign",
        note="only keys that are surely another API's: the header that a beta key needs is not in the body",
    ),
    Rule(
        "tool.schema_type_missing", "{path}: Field required", (59,), "L", "tool",
        _on_schema(_no_type, ".type"), "tool.schema",
    ),
    Rule(
        "tool.schema_invalid",
        "{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
        (61,), "L", "tool",
        _on_schema(lambda place: when(is_broken(_schema(place)), None), ""), "tool.schema",
        older=(
            "{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
            "https://docs.claude.com/en/docs/tool-use.",
        ),
        note="the row names the newer address without spelling it; this is how a log of August 2026 has it",
    ),
    Rule(
        "tool.schema_union",
        "{path}: input_schema does not support oneOf, allOf, or anyOf at the top level",
        (62,), "L", "tool", _on_schema(_union, ""), "tool.schema",
    ),
    Rule(
        "tool.property_name", "{path}: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'",
        (63,), "L", "tool", _on_schema(_property_key, ".properties"), "tool.schema",
    ),
    Rule(
        "tool.strict_open",
        "{path}: For 'object' type, 'additionalProperties' must be explicitly set to false",
        (66,), "M", "tool", _strict_but_open, "tool.strict_open",
    ),
)  # fmt: skip

TOOLS_TOGETHER = (
    Rule(
        "tools.duplicate_name", "tools: Tool names must be unique.", (55,), "L", "request", _duplicate_names,
        "tools.duplicate_name",
    ),
)  # fmt: skip
