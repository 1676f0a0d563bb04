"""Rules about parameters beside the conversation: required ones, sampling, unknown keys, the body itself.

Where the reference does not say when the API checks something, its rule stands with the parameter it names.
"""

from __future__ import annotations

from simulator.wire.rules.request import Request
from simulator.wire.rules.table import Check, Fault, Grade, Place, Rule, when
from simulator.wire.rules.vocabulary import KNOWN_KEYS

MAX_BREAKPOINTS = 4


def _missing(key: str) -> Check:
    return lambda place: when(key not in place.value, key)


def _required(key: str, grade: Grade) -> Rule:
    return Rule(
        f"{key}.missing",
        "{path}: Field required",
        (89,),
        grade,
        "request",
        _missing(key),
        "parameter.missing",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _not_integer(place: Place) -> Fault | None:
    value = place.value.get("max_tokens")
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return when(isinstance(value, bool) or not whole, "max_tokens")


def _negative(place: Place) -> Fault | None:
    return when(place.value["max_tokens"] < 0, "max_tokens")


def _not_number(key: str) -> Check:
    return lambda place: when(key in place.value and not _is_number(place.value[key]), key)


def _out_of_range(key: str) -> Check:
    # Written so that a NaN, which is in no range, is out of it.
    return lambda place: when(key in place.value and not 0 <= place.value[key] <= 1, key)


def _bad_system(place: Place) -> Fault | None:
    value = place.value.get("system", "")
    return when(not isinstance(value, str | list), "system")


def _breakpoints(request: Request) -> int:
    body = request.body
    holders = [
        *(body["tools"] if isinstance(body.get("tools"), list) else []),
        *(body["system"] if isinstance(body.get("system"), list) else []),
        *(block for turn in request.turns for block in turn["content"]),
    ]
    return sum(isinstance(holder, dict) and holder.get("cache_control") is not None for holder in holders)


def _too_many_breakpoints(place: Place) -> Fault | None:
    found = _breakpoints(place.request)
    return when(found > MAX_BREAKPOINTS, None, found=found)


def _unknown_key(place: Place) -> Fault | None:
    return next((Fault(key) for key in place.value if key not in KNOWN_KEYS), None)


def _hot_while_thinking(place: Place) -> Fault | None:
    thinks = place.request.thinking() in ("enabled", "adaptive")
    return when(thinks and place.value.get("temperature", 1) != 1, "temperature")


def _narrow_while_thinking(place: Place) -> Fault | None:
    thinks = place.request.thinking() == "enabled"
    return when(thinks and place.value.get("top_p", 1) < 0.95, "top_p")


BODY = (
    Rule(
        "body.not_object", "Input should be an object", (), "S", "request",
        lambda place: when(not isinstance(place.value, dict), None), "body.not_object",
        note="by the wording of row 50; nobody has shown this very request",
    ),
)  # fmt: skip

MODEL = (_required("model", "L"),)

SYSTEM = (
    Rule(
        "system.not_list", "system: Input should be a valid array", (97,), "L", "request", _bad_system,
        "shape.wrong_type",
        older=("system: Input should be a valid list",),
        note="null is not absence here: system=None has to be left out",
    ),
)  # fmt: skip

CACHE_CONTROL = (
    Rule(
        "cache_control.too_many", "A maximum of 4 blocks with cache_control may be provided. Found {found}.",
        (54,), "L", "request", _too_many_breakpoints, "cache_control.too_many",
    ),
)  # fmt: skip

MAX_TOKENS = (
    _required("max_tokens", "L"),
    Rule(
        "max_tokens.not_integer", "max_tokens: Input should be a valid integer", (90,), "L", "request",
        _not_integer, "max_tokens.wrong",
    ),
    Rule(
        "max_tokens.negative", "max_tokens: must be greater than or equal to 0", (90,), "M", "request",
        _negative, "max_tokens.wrong",
        older=("max_tokens: must be greater than or equal to 1",),
        note="0 is lawful since 2026: it fills the prompt cache and generates nothing",
    ),
)  # fmt: skip

TEMPERATURE = (
    Rule(
        "temperature.not_number", "temperature: Input should be a valid number", (93,), "M", "request",
        _not_number("temperature"), "sampling.wrong",
        note="null is not absence here: temperature=None has to be left out",
    ),
    Rule(
        "temperature.out_of_range", "temperature: range: 0..1", (93,), "M", "request",
        _out_of_range("temperature"), "sampling.wrong",
    ),
    Rule(
        "temperature.with_thinking",
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        (86,), "L", "request", _hot_while_thinking, "sampling.with_thinking",
        older=("`temperature` may only be set to 1 when thinking is enabled.",),
        note="some logs go on: Please consult our documentation at …/build-with-claude/extended-thinking",
    ),
)  # fmt: skip

TOP_P = (
    Rule(
        "top_p.not_number", "top_p: Input should be a valid number", (93,), "M", "request",
        _not_number("top_p"), "sampling.wrong", note="row 93 shows temperature; top_p answers alike",
    ),
    Rule(
        "top_p.out_of_range", "top_p: range: 0..1", (93,), "M", "request",
        _out_of_range("top_p"), "sampling.wrong", note="row 93 shows temperature; top_p answers alike",
    ),
    Rule(
        "top_p.with_thinking",
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
        (87,), "L", "request", _narrow_while_thinking, "sampling.with_thinking",
    ),
)  # fmt: skip

UNKNOWN_KEYS = (
    Rule(
        "key.unknown", "{path}: Extra inputs are not permitted", (98,), "L", "request", _unknown_key,
        "key.unknown",
    ),
)  # fmt: skip
