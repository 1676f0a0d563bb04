"""What the schema finds wrong with a contract, as faults of the policy's rules.

Rules of this file:

1. The validator's own English is never shown; its keyword chooses the rule.
2. One key that is unknown is one fault, one key that is missing is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.contract.policy import Fault, Policy
from simulator.contract.schema import validator
from simulator.contract.walk import Place

_RULES = {
    "type": "value.type",
    "const": "value.choice",
    "enum": "value.choice",
    "pattern": "value.form",
    "format": "value.form",
}
"""Keyword to rule, the weightiest first; any other keyword is about a range."""

_FIRST = 1000
"""Rank of the first fault here: after every rule of the policy that looks at a place."""


def faults(policy: Policy, schema: Mapping[str, Any], value: Any) -> Iterator[Fault]:
    """Yield what is wrong with *value* by *schema*."""
    for error in validator(schema).iter_errors(value):
        yield from _of(policy, error)


def _of(policy: Policy, error: Any) -> Iterator[Fault]:
    place: Place = tuple(error.absolute_path)
    match error.validator:
        case "additionalProperties":
            known = error.schema.get("properties", {})
            for key in error.instance:
                if key not in known:
                    yield Fault(policy.words("keys.unknown"), (*place, key), _FIRST, "key")
        case "required":
            for key in error.validator_value:
                if key not in error.instance:
                    yield Fault(policy.words("keys.missing"), (*place, key), _FIRST, "missing")
        case "not":  # a key that does not go with its neighbours
            yield Fault(policy.words("keys.unknown"), place, _FIRST, "key", {"misplaced": True})
        case keyword:
            rule = _RULES.get(keyword, "value.range")
            rank = _FIRST + [*_RULES.values(), "value.range"].index(rule)
            yield Fault(policy.words(rule), place, rank)
