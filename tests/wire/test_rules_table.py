"""The table itself: complete, in order, true to its source, and explained."""

import re
import string
from itertools import combinations
from pathlib import Path

import pytest

from simulator.text import LANGUAGES, room
from simulator.wire.rules import ACCEPTED, JSON_RULES, RULES, STAGES, UNJUDGED, Rule, check_request, explain
from simulator.wire.rules.table import ApiError
from tests.wire import (
    test_rules_blocks,
    test_rules_conversation,
    test_rules_entries,
    test_rules_parameters,
    test_rules_tools,
)
from tests.wire.rule_cases import Json, request, result, text, user, without

ALL = (*JSON_RULES, *RULES)
CASES = [
    case
    for module in (
        test_rules_blocks,
        test_rules_conversation,
        test_rules_entries,
        test_rules_parameters,
        test_rules_tools,
    )
    for case in module.CASES
]


@pytest.fixture(scope="module")
def reference(root: Path) -> str:
    """Return the text of the reference; the test is skipped where the project stands alone."""
    path = root.parent / "shared" / "reference" / "api-errors.md"
    if not path.is_file():
        pytest.skip("the shared reference of API errors is not beside this project")
    return path.read_text(encoding="utf-8")


def rows_of(reference: str) -> dict[int, str]:
    """Return the table rows of *reference* by their number."""
    found = re.findall(r"^\| (\d+) \|(.*)\|$", reference, re.MULTILINE)
    return {int(number): text for number, text in found}


def test_every_rule_has_an_example_that_triggers_it():
    assert {case.rule for case in CASES} == {rule.id for rule in RULES}


def test_no_two_rules_share_an_id():
    assert len({rule.id for rule in ALL}) == len(ALL)
    assert len({accepted.id for accepted in ACCEPTED}) == len(ACCEPTED)


def test_every_lesson_is_taught_by_a_rule_and_every_rule_has_its_lesson():
    for lang in LANGUAGES:
        assert set(room("rules", lang)) == {f"rules.{rule.lesson}" for rule in ALL}


def test_a_lesson_is_one_plain_sentence():
    for lang in LANGUAGES:
        for sentence in room("rules", lang).values():
            assert re.fullmatch(r"[^.]+(\.\w[^.]*)*\.", sentence), sentence
            assert "{" not in sentence


def test_an_error_of_no_rule_is_not_explained():
    with pytest.raises(KeyError):
        explain(ApiError(429, "rate_limit_error", "Slow down.", None, "recorded"))


def test_sources_are_told_in_words():
    assert rules_by_id()["pairing.result_unexpected"].source == "api-errors.md rows 5, 6, 7"
    assert rules_by_id()["messages.empty"].source == "api-errors.md row 31"
    assert ACCEPTED[1].source == "api-errors.md section 0"


def rules_by_id() -> dict[str, Rule]:
    return {rule.id: rule for rule in ALL}


FAULTS: list[tuple[str, Json]] = [
    ("model.missing", {"model": ...}),
    ("tool_choice.not_object", {"tool_choice": "auto"}),
    ("tools.not_list", {"tools": "list_dir"}),
    ("message.content_missing", {"messages": [{"role": "user"}]}),
    ("system.not_list", {"system": None}),
    ("thinking.not_object", {"thinking": None}),
    ("cache_control.too_many", {"messages": [user(*[text("a", cache_control={"type": "ephemeral"})] * 5)]}),
    ("max_tokens.negative", {"max_tokens": -1}),
    ("temperature.out_of_range", {"temperature": 2}),
    ("top_p.out_of_range", {"top_p": 2}),
    ("key.unknown", {"response_format": {}}),
    ("turn.empty_user", {"messages": [user()]}),
    ("pairing.result_unexpected", {"messages": [user(result())]}),
    ("model.sampling", {"top_k": 1}),
]


@pytest.mark.parametrize(("first", "second"), list(combinations(FAULTS, 2)), ids=lambda fault: fault[0])
def test_of_two_faults_the_one_that_the_api_checks_first_is_reported(
    first: tuple[str, Json], second: tuple[str, Json]
):
    if first[1].keys() & second[1].keys():
        return
    body = request() | second[1] | first[1]
    error = check_request(without(body, "model") if "model" in first[1] else body)
    assert error is not None
    assert error.rule == first[0]


def test_the_table_is_in_the_order_of_the_stages():
    order = [rule.id for rule in RULES]
    assert [order.index(name) for name, _ in FAULTS] == sorted(order.index(name) for name, _ in FAULTS)
    assert [stage.name for stage in STAGES][1:4] == ["model", "tool_choice", "tools"]


def test_every_row_about_a_request_is_a_rule_or_accepted_or_said_not_to_be_judged(reference: str):
    upto_parameters = reference.split("## 6.")[0]
    told = {row for entry in (*ALL, *ACCEPTED, *UNJUDGED) for row in entry.rows}
    assert set(rows_of(upto_parameters)) - told == set()
    assert told - set(rows_of(reference)) == set()


def test_a_grade_is_one_of_the_evidence_of_its_rows(reference: str):
    rows = rows_of(reference)
    wrong = [
        rule.id
        for rule in ALL
        if rule.rows
        and not any(re.search(rf"\b{rule.grade}\b", rows[row].split("|")[-1]) for row in rule.rows)
    ]
    assert [rule_id for rule_id in wrong if not rules_by_id()[rule_id].note] == []


def fixed_parts(wording: str) -> list[str]:
    """Return what stands between the placeholders of *wording*, without the lists of tags."""
    parts = [part for part, *_ in string.Formatter().parse(wording)]
    return [part.split("expected tags:")[0].strip() for part in parts]


BY_PARTS = {
    # The reference tells these in two pieces, today's words beside the older sentence.
    "message.content_not_list": ["a valid array"],
    "system.not_list": ["system: Input should be", "a valid array"],
    "max_tokens.negative": ["max_tokens: must be greater than or equal to", "to 0"],
    "temperature.with_thinking": [
        "`temperature` may only be set to 1 when thinking is enabled",
        "or in adaptive mode",
    ],
    "tool_result.empty_error": [": content cannot be empty if", "if `is_error` is true"],
    "system.precedes_wrong": [
        ": role 'system' must precede an 'assistant' message or end the array; the directive-only form",
        "; the directive-only form (content: [] with output_config) is accepted at any position",
    ],
    # The same words about another field than the row's.
    "tool_choice.type_missing": [".type: Field required"],
    "tools.not_list": ["a valid array"],
    "messages.not_list": ["a valid array"],
    "thinking.not_object": [": Input should be an object"],
    "top_p.not_number": [": Input should be a valid number"],
    "top_p.out_of_range": [": range: 0..1"],
    # Seen outside the reference; the rule's note says where.
    "system.follows_wrong": [" is accepted at any position"],
    "tool.schema_invalid": ["JSON schema is invalid. It must match JSON Schema draft 2020-12"],
    "json.empty": ["The request body is not valid JSON:"],
    "json.broken": ["The request body is not valid JSON:"],
}
"""What of a wording stands in the reference, where not every fixed part of it does."""


def test_every_fixed_part_of_a_wording_stands_in_the_reference(reference: str):
    missing = [
        (rule.id, part)
        for rule in ALL
        for part in BY_PARTS.get(rule.id, fixed_parts(rule.wording))
        if part not in reference or part not in rule.wording
    ]
    assert missing == []
