"""Faults that cannot be played: one sentence each, with file, line and remedy."""

import pytest

from simulator.recording.screenplay import ScreenplayError, load
from simulator.recording.takes import takes
from tests.recording.berths import HEAD, SEARCH, THEN, called

REFUSED = {
    "an effect that nobody knows": (called("{explodes: true}"), "there is no key 'explodes' here"),
    "two effects": (called("{hangs: true, value: 1}"), "Exactly one of error, value"),
    "a slow tool that says nothing": (called("{slow: 2}"), "Exactly one of error, value"),
    "a hang that is none": (called("{hangs: maybe}"), "What may stand here: True"),
    "a length without its text": (called("{characters: 9}"), "Exactly one of error, value"),
    "a value that is no JSON": (called("{value: [2026-11-30]}"), "null, true, false, a number"),
    "seconds that are none": (called("{slow: soon, text: x}"), "where a number belongs"),
    "a hang, and the next request needs words": (
        called("{hangs: true}", then=THEN),
        "Write `text:` or `error:`",
    ),
    "an effect of a branch": (
        called("x", then=THEN)
        + "branches: [{name: b, title: A, title_es: B, from: 1, results: [{hangs: true}],"
        " turns: [{text: x}]}]\n",
        "there is no key 'hangs' here",
    ),
    "a call among the blocks": (
        "turns: [{blocks: [{type: tool_use, id: toolu_1, name: berth, input: {}}]}]\n",
        "tool_use",
    ),
    "a usage that nobody knows": (
        "turns: [{text: x, usage: {tokens: 3}}]\n",
        "there is no key 'tokens' here",
    ),
    "a stream that is whole before it breaks": (
        "turns: [{text: x, broken: {after: 7}}]\n",
        "the stream has 7 events, so it cannot break off after 7",
    ),
    "a stop_reason that nobody knows": ("turns: [{text: x, stop: fin}]\n", "add `wrong: true`"),
    "nothing wrong about a stop": ("turns: [{text: x, wrong: true}]\n", "nothing here is wrong"),
    "nothing wrong about a call": (
        "turns: [{calls: [{tool: berth, input: {number: 7}, wrong: true}]}]\n",
        "nothing here is wrong",
    ),
    "nothing to cut in no content": (
        "turns: [{blocks: [], cut: true, stop: max_tokens}]\n",
        "nothing to cut",
    ),
    "an empty answer asked for again": ("turns: [{blocks: []}, {text: x}]\n", "as that of main.1"),
    "an error with content": (
        "turns: [{error: {status: 500, type: api_error, message: x}, blocks: []}]\n",
        "blocks",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_fault_that_cannot_be_played_is_one_sentence_with_file_and_line(case, tmp_path):
    rest, words = REFUSED[case]
    source = tmp_path / "berths.yaml"
    source.write_text(HEAD + rest, encoding="utf-8")
    with pytest.raises(ScreenplayError) as refused:
        takes(load(source))
    told = refused.value
    assert words in str(told)
    assert told.line is not None
    assert "\n" not in str(told)


def test_a_tool_of_the_api_has_a_type_and_no_input_schema(tmp_path):
    for old, new, words in (
        ("name: web_search,", "name: web_search, input_schema: {type: object},", "input_schema"),
        ("type: web_search_20250305, ", "", "'description' is missing"),
        ("web_search_20250305", "websearch", "does not fit here"),
    ):
        source = tmp_path / "berths.yaml"
        source.write_text(SEARCH.replace(old, new, 1) + "turns: [{text: x}]\n", encoding="utf-8")
        with pytest.raises(ScreenplayError, match=words):
            load(source)
