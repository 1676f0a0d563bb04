"""The digest of a conversation: what counts and what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.wire.message import ABSENT, conversation, digest, first_difference, merge, parameters

CALL = {"type": "tool_use", "id": "tu_1", "name": "read_file", "input": {"path": "a", "limit": None}}
RESULT = {"type": "tool_result", "tool_use_id": "tu_1", "content": "alpha"}


def talk(*turns: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in turns], **more}


BASE = talk(("user", "Read a."), ("assistant", [CALL]), ("user", [RESULT]))


@pytest.mark.parametrize(
    "same",
    [
        talk(("user", [{"type": "text", "text": "Read a."}]), ("assistant", [CALL]), ("user", [RESULT])),
        talk(
            ("user", "Read a."),
            ("assistant", [{**CALL, "caller": {"type": "direct"}}]),
            ("user", [{**RESULT, "cache_control": {"type": "ephemeral"}, "is_error": False}]),
        ),
        talk(
            ("user", [{"type": "text", "text": "Read a.", "citations": None}]),
            ("assistant", [dict(reversed(CALL.items()))]),
            ("user", [{**RESULT, "content": [{"type": "text", "text": "alpha"}]}]),
        ),
        {**BASE, "max_tokens": 9, "model": "m", "metadata": {"user_id": "u"}, "system": None},
    ],
    ids=["string is a text block", "cache_control, caller, is_error", "nulls, key order", "other parameters"],
)
def test_what_does_not_change_the_conversation_does_not_change_the_digest(same: dict[str, Any]) -> None:
    assert digest(same) == digest(BASE)


@pytest.mark.parametrize(
    "other",
    [
        talk(("user", "Read b."), ("assistant", [CALL]), ("user", [RESULT])),
        talk(("user", "Read a."), ("assistant", [CALL]), ("user", [{**RESULT, "is_error": True}])),
        talk(("user", "Read a."), ("assistant", [{**CALL, "input": {"path": "a"}}]), ("user", [RESULT])),
        {**BASE, "system": "Be brief."},
        {**BASE, "tools": [{"name": "read_file"}]},
    ],
    ids=["text", "is_error", "a null the model wrote", "system", "tools on offer"],
)
def test_what_changes_the_conversation_changes_the_digest(other: dict[str, Any]) -> None:
    assert digest(other) != digest(BASE)


def test_one_and_true_and_one_point_zero_are_three_inputs() -> None:
    values = [talk(("assistant", [{**CALL, "input": {"n": n}}])) for n in (1, 1.0, True)]
    assert len({digest(value) for value in values}) == 3


def test_same_role_neighbours_are_one_turn_as_the_api_merges_them() -> None:
    split = talk(("user", "Read a."), ("user", [RESULT]))
    assert [turn["role"] for turn in merge(split["messages"])] == ["user"]
    assert digest(split) == digest(talk(("user", [{"type": "text", "text": "Read a."}, RESULT])))


def test_merging_leaves_the_callers_messages_alone() -> None:
    before = json.dumps(BASE)
    merge([*BASE["messages"], {"role": "user", "content": "More."}])[-1]["content"].clear()
    assert json.dumps(BASE) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


@given(st.fixed_dictionaries({"messages": JSON, "system": JSON, "tools": JSON}))
def test_any_json_has_a_digest_and_canonical_form_is_stable(body: dict[str, Any]) -> None:
    assert digest(body) == digest(json.loads(json.dumps(body)))
    conversation(body)


def test_only_stated_parameters_are_parameters() -> None:
    assert parameters({"max_tokens": 5, "model": None, "top_p": 1, "tool_choice": {"type": "auto"}}) == {
        "max_tokens": 5,
        "tool_choice": {"type": "auto"},
    }


def test_the_first_difference_is_told_by_path_and_both_values() -> None:
    left, right = conversation(BASE), conversation(talk(("user", "Read b.")))
    assert first_difference(left, right) == ("messages.0.content.0.text", "Read a.", "Read b.")
    assert first_difference([1], [1, 2]) == ("1", ABSENT, 2)
    assert first_difference({"n": 1}, {"n": True}) == ("n", 1, True)
    assert first_difference(left, conversation(BASE)) is None
