"""A policy of one's own: read, and held against the shipped one.

Rules of this file:

1. It holds every shipped rule with its test. Without them a contract could pass that cannot be compiled.
2. A test of it is a JSON Schema that can be asked about any value: references only into the contract's
   schema, patterns that compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.contract import by_schema, telling
from simulator.contract.opening import flaws, opened
from simulator.contract.places import Limits
from simulator.contract.policy import FILE, TESTS, Fault, Policy, Rule, children, shipped_policy
from simulator.contract.problems import quoted
from simulator.contract.schema import CONTRACT, POLICY, refers, shipped
from simulator.contract.source import Source, name_of
from simulator.contract.walk import Place
from simulator.schemas import library
from simulator.text import LANGUAGES, say

_LIMITS = Limits(1_048_576, 32, 20_000)


def policy_of(source: Policy | Source) -> Policy:
    """Return the policy in the file *source*. Raises ContractError about that file."""
    if isinstance(source, Policy):
        return source
    file, words, schema = name_of(source), shipped_policy(), shipped(POLICY)
    located = opened(file, source, words, _LIMITS)
    value = located.value
    found = [*flaws(located, words), *by_schema.faults(words, schema, value)]
    if not found:
        found = [*_defaults(words, value["defaults"]), *_rules(value["rules"])]
    refusal = telling.error(file, located, value, schema, found)
    if refusal is not None:
        raise refusal
    return Policy.of(value)


def _defaults(words: Policy, defaults: Mapping[str, Any]) -> Iterator[Fault]:
    for fault in by_schema.faults(words, shipped(CONTRACT), defaults):
        if fault.about != "missing":
            place = ("defaults", *fault.place)
            yield Fault(_rule("policy.default"), place, fault.rank, fault.about)


def _rules(rows: list[dict[str, Any]]) -> Iterator[Fault]:
    given = [_test(row) for row in rows]
    for row in shipped(FILE)["rules"]:
        if _test(row) not in given:
            saw = say("contract.read.seen.rule", id=row["id"], at=quoted(row.get("at", "")))
            yield Fault(_rule("policy.incomplete"), ("rules",), 0, values={"saw": saw})
            return
    for index, row in enumerate(rows):
        for name in ("if", "require", "refuse", "keys"):
            if name in row and not _can_be_asked(row[name]):
                yield Fault(_rule("policy.test"), ("rules", index, name), 0)


def _test(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("id", *TESTS) if name in row}


def _rule(rule_id: str) -> Rule:
    """Return a rule about policies; no contract breaks it, so its words stand in the catalogue."""
    ending = rule_id.removeprefix("policy.")
    words = {
        part: {lang: say(f"contract.read.policy.{ending}.{part}", lang) for lang in LANGUAGES}
        for part in ("reason", "remedy")
    }
    return Rule(rule_id, words)


def _can_be_asked(test: Any) -> bool:
    jsonschema: Any = library()
    try:
        jsonschema.Draft202012Validator.check_schema(test)
        return all(_lawful(place, inner) for place, inner in _inside((), test))
    except (jsonschema.SchemaError, re.error):
        return False


def _lawful(place: Place, value: Any) -> bool:
    """Say whether the *value* at *place* of a test can be worked with. Raises re.error."""
    match place[-1:]:
        case ("$ref",):
            return isinstance(value, str) and refers(value)
        case ("$dynamicRef" | "$id" | "$anchor" | "$dynamicAnchor" | "$schema",):
            return False
        case ("pattern",) if isinstance(value, str):
            re.compile(value)
        case ("patternProperties",) if isinstance(value, dict):
            for pattern in value:
                re.compile(pattern)
    return True


def _inside(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    """Yield *value* and all that is in it, with their places. It is at most as deep as a file may be."""
    yield place, value
    for key, child in children(value):
        yield from _inside((*place, key), child)
