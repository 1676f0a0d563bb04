"""Whatever is sent, the rules answer; whatever is lawful passes; one slip is refused by its own rule."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.wire.message import merge
from simulator.wire.rules import RULES, check_json, check_request, explain
from tests.wire.rule_cases import Case, Json, ask, assistant, call, request, result, text, user
from tests.wire.test_rules_table import CASES

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How long an example takes is the machine's matter, not the rules'."""

IDS = st.integers(0, 10**6)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VOCABULARY = """
    type text tool_use tool_result thinking id tool_use_id input name content role user assistant system
    messages model max_tokens tools tool_choice input_schema image source base64 server_tool_use enabled
    temperature top_p compaction is_error signature properties items anyOf claude-sonnet-5 web_search
"""
words = st.sampled_from(VOCABULARY.split())
anything = st.recursive(
    scalars | words,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=40,
)


@st.composite
def nearly(draw: st.DrawFn) -> Json:
    """Draw a request of the right outline with anything in its places."""
    block = st.dictionaries(words, anything, max_size=5) | anything
    entry = st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.lists(block, max_size=3)}
    )
    fields = draw(st.dictionaries(words, anything, max_size=4))
    return {**fields, "model": draw(words), "max_tokens": 9, "messages": draw(st.lists(entry | anything))}


@CALM
@given(anything | nearly())
def test_no_value_makes_the_rules_raise_and_every_refusal_is_explained(body: object):
    before = copy.deepcopy(body)
    error = check_request(body)
    assert repr(body) == repr(before)
    if error is not None:
        assert error.rule in {rule.id for rule in RULES}
        assert explain(error)


ODD = [None, True, -1, 1.5, 10**400, "", "x", [], {}, [None], {"type": None}, {"type": []}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_an_odd_value_in_any_place_of_an_example_is_judged_not_raised(case: Case):
    for place in places(case.body):
        for odd in ODD:
            error = check_request(put(copy.deepcopy(case.body), place, odd))
            assert error is None or error.message


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every place inside *value*, its own first."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else [])
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], odd: object) -> Any:
    """Put *odd* into the place *path* of *value*, and return the whole."""
    if not path:
        return odd
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = odd
    return value


@CALM
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_no_bytes_make_the_rules_raise(raw: bytes):
    assert check_json(raw) is not None


@st.composite
def rounds(draw: st.DrawFn) -> tuple[list[str], list[Json]]:
    """Draw one round of a loop: the ids called, and the entries of messages that call and answer them.

    Calls may stand in one assistant message or several, with text around them; results in any order, in one
    user message or several, with text after them.
    """
    ids = [f"t_{number}" for number in draw(st.lists(IDS, min_size=1, max_size=4, unique=True))]
    blocks = [*draw(st.sampled_from([[], [text("Let me look.")]])), *map(call, ids)]
    answers = [result(name, "done") for name in draw(st.permutations(ids))]
    closing = draw(st.sampled_from([[], [text("Go on.")]]))
    return ids, [
        *(assistant(*part) for part in split(draw, blocks)),
        *(user(*part) for part in split(draw, [*answers, *closing])),
    ]


def split(draw: st.DrawFn, blocks: list[Json]) -> list[list[Json]]:
    """Cut *blocks* into one or more parts, none of them empty."""
    cuts = draw(st.lists(st.integers(1, len(blocks)), unique=True, max_size=2))
    edges = [0, *sorted(set(cuts) - {len(blocks)}), len(blocks)]
    return [blocks[start:stop] for start, stop in pairwise(edges)]


@st.composite
def conversations(draw: st.DrawFn) -> Json:
    """Draw a lawful request: a question, and one round after the other."""
    drawn = draw(st.lists(rounds(), min_size=1, max_size=4))
    return request(ask(), *(entry for _, entries in drawn for entry in entries))


@CALM
@given(conversations())
def test_a_lawful_conversation_is_accepted_however_it_is_cut(body: Json):
    assert check_request(body) is None


@CALM
@given(conversations())
def test_a_conversation_is_judged_alike_merged_and_as_sent(body: Json):
    assert check_request(body | {"messages": merge(body["messages"])}) is None


def turns_of(body: Json) -> list[Json]:
    return merge(copy.deepcopy(body["messages"]))


def drop_a_result(turns: list[Json], at: int) -> None:
    del turns[at]["content"][0]
    if not turns[at]["content"]:
        turns[at]["content"] = [text("Go on.")]


def drop_the_answer(turns: list[Json], at: int) -> None:
    del turns[at]


def put_text_first(turns: list[Json], at: int) -> None:
    turns[at]["content"].insert(0, text("Here it is:"))


def rename_the_call(turns: list[Json], at: int) -> None:
    calls = [block for block in turns[at - 1]["content"] if block["type"] == "tool_use"]
    calls[0]["id"] = "renamed"


def answer_twice(turns: list[Json], at: int) -> None:
    turns[at]["content"].insert(0, dict(turns[at]["content"][0]))


def answer_what_nobody_asked(turns: list[Json], at: int) -> None:
    turns[at]["content"].append(result("nobody"))


def drop_the_call(turns: list[Json], at: int) -> None:
    turns[at - 1]["content"] = [text("Two files.")]


def call_twice(turns: list[Json], at: int) -> None:
    turns[at - 1]["content"].append(dict(turns[at - 1]["content"][-1]))


def let_the_assistant_answer(turns: list[Json], at: int) -> None:
    turns[at]["role"] = "assistant"


def let_the_user_call(turns: list[Json], at: int) -> None:
    turns[at - 1]["role"] = "user"


SLIPS: list[tuple[Callable[[list[Json], int], None], str]] = [
    (drop_a_result, "pairing.result_missing"),
    (drop_the_answer, "pairing.result_missing"),
    (put_text_first, "pairing.result_missing"),
    (rename_the_call, "pairing.result_missing"),
    (answer_twice, "pairing.result_twice"),
    (answer_what_nobody_asked, "pairing.result_unexpected"),
    (drop_the_call, "pairing.result_unexpected"),
    (call_twice, "pairing.duplicate_call"),
    (let_the_assistant_answer, "pairing.result_from_assistant"),
    (let_the_user_call, "pairing.call_from_user"),
]


@pytest.mark.parametrize(("slip", "rule"), SLIPS, ids=lambda value: getattr(value, "__name__", ""))
@settings(CALM, max_examples=30)
@given(body=conversations(), which=st.integers(0, 3))
def test_one_slip_in_a_lawful_conversation_is_refused_by_its_rule(
    slip: Callable[[list[Json], int], None], rule: str, body: Json, which: int
):
    turns = turns_of(body)
    answers = [at for at, turn in enumerate(turns) if at and turn["role"] == "user"]
    # Without the answer between them, two turns of calls are one; that would be another slip.
    at = answers[-1] if slip in (drop_the_answer, let_the_assistant_answer) else answers[which % len(answers)]
    slip(turns, at)
    error = check_request(body | {"messages": turns})
    assert error is not None
    assert error.rule == rule
    assert error.path is not None
    assert error.path.startswith("messages.")


@CALM
@given(conversations(), st.permutations(["model", "max_tokens", "messages"]))
def test_the_order_of_keys_does_not_matter(body: Json, order: list[str]):
    assert check_request({key: body[key] for key in order}) is None
