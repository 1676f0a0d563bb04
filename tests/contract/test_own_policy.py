"""A policy of one's own: more rules, other words, other defaults; never fewer tests than the shipped one."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.contract import Contract, ContractError, read
from simulator.contract.own_policy import policy_of
from simulator.contract.policy import FILE
from simulator.contract.schema import shipped
from tests.contract.test_reading import PLAIN

NO_HOT = {
    "id": "house.temperature",
    "at": "/request/temperature",
    "refuse": {"exclusiveMinimum": 0.5},
    "reason": {"en": "Our loops are calm.", "es": "Nuestros bucles son tranquilos."},
    "remedy": {"en": "Write {fits}, at most {half}.", "es": "Escribe {fits}, {half} como mucho."},
}


def policy(**changes: Any) -> bytes:
    return json.dumps({**copy.deepcopy(shipped(FILE)), **changes}).encode()


def with_rules(*rows: dict[str, Any]) -> bytes:
    return policy(rules=[*shipped(FILE)["rules"], *rows])


def by(rules: bytes | Path, **changes: Any) -> Contract:
    return read(json.dumps({**PLAIN, **changes}).encode(), policy=rules)


def wrong(rules: bytes) -> list[tuple[str, str]]:
    with pytest.raises(ContractError) as caught:
        by(rules)
    assert all(problem.reason and problem.remedy for problem in caught.value.problems)
    return [(problem.rule, problem.pointer) for problem in caught.value.problems]


def test_the_shipped_policy_is_one_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_bytes(policy())
    assert by(path) == by(policy()) == read(json.dumps(PLAIN).encode())


def test_a_rule_of_ones_own_is_told_in_ones_own_words() -> None:
    with pytest.raises(ContractError) as caught:
        by(with_rules(NO_HOT), request={"model": "m", "temperature": 0.7})
    (problem,) = caught.value.problems
    assert (problem.rule, problem.pointer, problem.reason) == (
        "house.temperature",
        "/request/temperature",
        "Our loops are calm.",
    )
    assert problem.remedy == "Write a number from 0 to 1, at most {half}."
    assert by(with_rules(NO_HOT), request={"model": "m", "temperature": 0.2})


@pytest.mark.parametrize(
    ("rule", "pointers"),
    [
        ({"at": "", "refuse": {}}, [""]),
        ({"at": "", "keys": False}, [""]),
        ({"at": "/*", "keys": {"maxLength": 9}}, ["/description"]),
        ({"at": "/request/*/*", "refuse": {"const": "auto"}}, ["/request/tool_choice/type"]),
        ({"at": "/request/*/*", "refuse": {"const": "END"}}, ["/request/stop_sequences/0"]),
        ({"at": "/request/system", "when_missing": True}, ["/request"]),
        ({"at": ["/verification", "/compaction"], "when_missing": True}, ["", ""]),
        ({"at": "/a/b/c", "when_missing": True}, []),
        ({"at": "/retries", "if": {"required": ["budget"]}, "refuse": {"const": {"by": "client"}}}, [""]),
        ({"at": "/budget", "compare": ["tokens", "<", "iterations"]}, []),
        ({"at": "/name/*/x~1y", "refuse": {}}, []),
        ({"at": "/budget/iterations", "doubles": "/request/nothing", "most": 1}, []),
        ({"at": "/budget/iterations"}, []),
    ],
)
def test_a_rule_looks_where_it_says(rule: dict[str, Any], pointers: list[str]) -> None:
    rows = with_rules({"id": "house.rule", **rule, "reason": NO_HOT["reason"], "remedy": NO_HOT["remedy"]})
    request = {"model": "m", "tool_choice": {"type": "auto"}, "stop_sequences": ["END"]}
    assert broken_at(rows, request=request, description="Finds.") == pointers


def broken_at(rules: bytes, **changes: Any) -> list[str]:
    """Return where a contract breaks the rule ``house.rule``."""
    try:
        by(rules, **changes)
    except ContractError as error:
        return [problem.pointer for problem in error.problems if problem.rule == "house.rule" and str(error)]
    return []


def test_a_value_that_comes_from_a_default_is_said_to_do_so() -> None:
    row = {**NO_HOT, "at": "/request/max_tokens", "refuse": {"minimum": 4000}}
    with pytest.raises(ContractError) as caught:
        by(with_rules(row))
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.saw) == ("/request", "4096, by default")


def test_a_contract_does_not_share_its_parts_with_the_policy() -> None:
    request = {"max_tokens": 4096, "thinking": {"type": "adaptive"}}
    defaults = {**shipped(FILE)["defaults"], "request": request}
    rules = policy_of(policy(defaults=defaults))
    first, second = (read(json.dumps(PLAIN).encode(), policy=rules) for _ in range(2))
    assert first.request.parameters["thinking"] == second.request.parameters["thinking"]
    assert first.request.parameters["thinking"] is not second.request.parameters["thinking"]


def test_defaults_and_limits_of_ones_own_hold() -> None:
    defaults = {**shipped(FILE)["defaults"], "verification": {"rounds": 3}}
    read_one = by(policy(defaults=defaults))
    assert read_one.verification is not None
    assert read_one.verification.rounds == 3
    assert "/verification" in read_one.defaults
    small = policy(limits={"bytes": 1000, "depth": 32, "values": 5000})
    with pytest.raises(ContractError, match=r"json\.too_large"):
        by(small, description="x" * 1000)


def test_a_shipped_rule_may_have_other_words_but_not_another_test() -> None:
    rows = copy.deepcopy(shipped(FILE)["rules"])
    rows[3]["reason"]["en"] = "Because."
    assert by(policy(rules=rows))
    rows[3] = {**rows[3], "require": {}}
    assert wrong(policy(rules=rows)) == [("policy.incomplete", "/rules")]
    assert wrong(policy(rules=shipped(FILE)["rules"][1:])) == [("policy.incomplete", "/rules")]


@pytest.mark.parametrize(
    "test",
    [
        {"type": "nothing"},
        {"pattern": "("},
        {"$ref": "#"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "loop-contract.schema.json#/$defs/nowhere"},
        {"$id": "urn:x"},
        {"anyOf": [{"not": {"patternProperties": {"[": {}}}}]},
    ],
)
def test_a_test_that_cannot_be_asked_is_refused_where_it_stands(test: dict[str, Any]) -> None:
    place = f"/rules/{len(shipped(FILE)['rules'])}/refuse"
    assert wrong(with_rules({**NO_HOT, "refuse": test})) == [("policy.test", place)]


def test_a_default_that_no_contract_could_say_is_refused_where_it_stands() -> None:
    assert wrong(policy(defaults={"retries": {"by": "nobody"}, "colour": 1})) == [
        ("policy.default", "/defaults/retries/by"),
        ("policy.default", "/defaults/colour"),
    ]


def test_a_policy_that_is_none_is_told_as_a_contract_is() -> None:
    assert wrong(b"{") == [("json.syntax", "")]
    assert wrong(b"[]") == [("value.type", "")]
    assert ("value.choice", "/format") in wrong(policy(format="policy"))
    assert ("keys.unknown", "/rulez") in wrong(policy(rulez=[]))
    assert wrong(with_rules({**NO_HOT, "reason": {"en": "Only."}})) == [
        ("keys.missing", f"/rules/{len(shipped(FILE)['rules'])}/reason")
    ]


def test_a_policy_that_was_read_is_used_again() -> None:
    read_once = policy_of(policy())
    assert policy_of(read_once) is read_once
