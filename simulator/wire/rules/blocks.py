"""Rules about content blocks, one by one, wherever they stand. Indices are those of the entries as sent."""

from __future__ import annotations

import re

from simulator.wire.rules.models import lacks
from simulator.wire.rules.request import block_type, string_at
from simulator.wire.rules.table import Check, Fault, Grade, Kind, Place, Rule, when
from simulator.wire.rules.vocabulary import (
    BLOCK_TAGS,
    FOREIGN_BLOCK_TYPES,
    FOREIGN_IN_RESULTS,
    FOREIGN_TEXT_KEYS,
    IMAGE_TYPES,
    RESULT_TAGS,
)

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
_SIGNATURE = re.compile(r"[a-zA-Z0-9+/=_-]+")


def _tagged(place: Place) -> str:
    """Return the path of the block at *place* as the API writes it once it knows the type."""
    return f"{place.path}.{block_type(place.value)}"


def _not_object(place: Place) -> Fault | None:
    return when(not isinstance(place.value, dict), place.path)


def _no_type(place: Place) -> Fault | None:
    return when("type" not in place.value, f"{place.path}.type")


def _of_type(types: frozenset[str]) -> Check:
    def check(place: Place) -> Fault | None:
        kind = block_type(place.value)
        return when(kind in types, place.path, tag=kind)

    return check


def _lacks(kind: str, key: str) -> Check:
    return lambda place: when(
        block_type(place.value) == kind and key not in place.value, f"{_tagged(place)}.{key}"
    )


def _not_string(place: Place) -> Fault | None:
    for key in _STRINGS.get(block_type(place.value), ()):
        if not isinstance(place.value.get(key, ""), str):
            return Fault(f"{_tagged(place)}.{key}")
    return None


def _unlike(kind: str, key: str, pattern: re.Pattern[str]) -> Check:
    def check(place: Place) -> Fault | None:
        bad = block_type(place.value) == kind and not pattern.fullmatch(place.value[key])
        return when(bad, f"{_tagged(place)}.{key}")

    return check


def _server_id(place: Place) -> Fault | None:
    call = string_at(place.value, "id") if block_type(place.value) == "server_tool_use" else "srvtoolu_"
    return when(call != "srvtoolu_" and not _SERVER_ID.fullmatch(call), f"{_tagged(place)}.id")


def _long_name(place: Place) -> Fault | None:
    return when(
        block_type(place.value) == "tool_use" and len(place.value["name"]) > 200, f"{_tagged(place)}.name"
    )


def _input_not_object(place: Place) -> Fault | None:
    bad = block_type(place.value) == "tool_use" and not isinstance(place.value["input"], dict)
    return when(bad, f"{_tagged(place)}.input")


def _empty_error(place: Place) -> Fault | None:
    failed = block_type(place.value) == "tool_result" and place.value.get("is_error") is True
    return when(failed and place.value.get("content") in ("", []), _tagged(place))


def _foreign_text_key(place: Place) -> Fault | None:
    keys = place.value if block_type(place.value) == "text" else {}
    return next((Fault(f"{_tagged(place)}.{key}") for key in keys if key in FOREIGN_TEXT_KEYS), None)


def _media_type(place: Place) -> Fault | None:
    source = place.value.get("source") if block_type(place.value) == "image" else None
    base64 = isinstance(source, dict) and source.get("type") == "base64" and "media_type" in source
    wrong = base64 and isinstance(source, dict) and source["media_type"] not in IMAGE_TYPES
    return when(wrong, f"{_tagged(place)}.source.base64.media_type")


def _cached_empty_text(place: Place) -> Fault | None:
    empty = block_type(place.value) == "text" and place.value.get("text") == ""
    return when(empty and place.value.get("cache_control") is not None, _tagged(place))


def _cached_thinking(place: Place) -> Fault | None:
    cached = block_type(place.value) == "thinking" and place.value.get("cache_control") is not None
    return when(cached, f"{_tagged(place)}.cache_control")


def _empty_thinking(place: Place) -> Fault | None:
    # Newer models may leave the text out and sign its absence (thinking.display "omitted").
    empty = block_type(place.value) == "thinking" and place.value["thinking"] == ""
    return when(empty and lacks(place.request.model, "no_prefill"), _tagged(place))


def _bad_signature(place: Place) -> Fault | None:
    bad = block_type(place.value) == "thinking" and not _SIGNATURE.fullmatch(place.value["signature"])
    return when(bad, place.path)


_STRINGS = {
    "text": ("text",),
    "tool_use": ("id", "name"),
    "tool_result": ("tool_use_id",),
    "thinking": ("signature", "thinking"),
}


def _required(kind: str, key: str, row: int, grade: Grade, at: Kind = "block", note: str = "") -> Rule:
    prefix = "result_block" if at == "result_block" else kind
    return Rule(
        f"{prefix}.{key}_missing", "{path}: Field required", (row,), grade, at, _lacks(kind, key),
        f"block.{kind}", note=note,
    )  # fmt: skip


def _pattern(kind: str, key: str, row: int, grade: Grade) -> Rule:
    return Rule(
        f"{kind}.{key}_pattern", "{path}: String should match pattern '^[a-zA-Z0-9_-]+$'", (row,), grade,
        "block", _unlike(kind, key, _ID), "block.id_pattern",
    )  # fmt: skip


def _image(at: Kind) -> Rule:
    return Rule(
        "image.media_type" if at == "block" else "result_block.media_type",
        "{path}: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", (26,), "L", at,
        _media_type, "block.image",
    )  # fmt: skip


BLOCK = (
    Rule(
        "block.not_object", "{path}: Input should be an object", (50,), "M", "block", _not_object,
        "block.not_object",
    ),
    Rule(
        "block.type_missing", "{path}: Field required", (50,), "M", "block", _no_type, "block.not_object",
    ),
    Rule(
        "block.unknown_type",
        "{path}: Input tag '{tag}' found using 'type' does not match any of the expected tags: "
        + BLOCK_TAGS,
        (51,), "L", "block", _of_type(FOREIGN_BLOCK_TYPES), "block.foreign",
        note="'fallback', which the row names too, is a block of a beta and let pass",
    ),
    _required("text", "text", 49, "L"),
    _required("tool_use", "id", 15, "L"),
    _required("tool_use", "name", 15, "S", note="row 15 shows id; name and input answer alike"),
    _required("tool_use", "input", 15, "S", note="row 15 shows id; name and input answer alike"),
    _required("tool_result", "tool_use_id", 12, "L"),
    _required("thinking", "signature", 79, "L"),
    _required("thinking", "thinking", 79, "L"),
    Rule(
        "block.not_string", "{path}: Input should be a valid string", (19,), "S", "block", _not_string,
        "shape.wrong_type", note="row 19 shows tool_use.name; ids, texts and signatures answer alike",
    ),
    _pattern("tool_use", "id", 14, "L"),
    _pattern("tool_result", "tool_use_id", 13, "S"),
    Rule(
        "server_tool_use.id_pattern", "{path}: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        (29,), "L", "block", _server_id, "block.server_id",
    ),
    Rule(
        "tool_use.name_too_long", "{path}: String should have at most 200 characters", (18,), "L", "block",
        _long_name, "tool.name",
    ),
    Rule(
        "tool_use.input_not_object", "{path}: Input should be an object", (16, 17), "L", "block",
        _input_not_object, "block.input",
        older=("{path}: Input should be a valid dictionary",),
    ),
    Rule(
        "tool_result.empty_error", "{path}: content cannot be empty if `is_error` is true", (21,), "L",
        "block", _empty_error, "tool_result.empty_error",
        older=("{path}: content cannot be empty if is_error is true",),
    ),
    _image("block"),
    Rule(
        "text.cached_empty", "{path}: cache_control cannot be set for empty text blocks", (53,), "L", "block",
        _cached_empty_text, "text.cached_empty",
    ),
    Rule(
        "thinking.cached", "{path}: Extra inputs are not permitted", (82,), "L", "block", _cached_thinking,
        "thinking.changed",
    ),
    Rule(
        "thinking.empty", "{path}: each thinking block must contain thinking", (81,), "L", "block",
        _empty_thinking, "thinking.changed",
        note="only models before 4.6: later ones may answer with empty thinking and a signature",
    ),
    Rule(
        "thinking.bad_signature", "{path}: Invalid `signature` in `thinking` block", (77,), "L", "block",
        _bad_signature, "thinking.changed",
        note="only what cannot be a signature (empty, not base64); a forged one needs the API's own key",
    ),
)  # fmt: skip

RESULT_BLOCK = (
    Rule(
        "result_block.unknown_type",
        "{path}: Input tag '{tag}' found using 'type' does not match any of the expected tags: "
        + RESULT_TAGS,
        (25,), "L", "result_block", _of_type(FOREIGN_IN_RESULTS), "block.foreign",
        note="the row's 'tool_reference' needs no beta any more and is lawful",
    ),
    _required("text", "text", 22, "L", "result_block"),
    Rule(
        "result_block.foreign_key", "{path}: Extra inputs are not permitted", (23,), "L", "result_block",
        _foreign_text_key, "block.foreign",
    ),
    _image("result_block"),
)  # fmt: skip
