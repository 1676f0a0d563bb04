"""The shipped scenarios: readable, lawful, in two languages, and every branch of them can be reached."""

import copy
import itertools
import json
import re
from functools import lru_cache

import pytest

from simulator import paths
from simulator.recording import cassette
from simulator.recording.record import screenplays
from simulator.recording.replay import Replay
from simulator.recording.scenario import scenario, scenarios
from simulator.recording.screenplay import load
from simulator.recording.takes import takes
from simulator.wire.message import of_type
from simulator.wire.rules import check_request
from tests.recording.loops import is_calm, play

NAMES = sorted(screenplays())
CALM = [name for name in scenarios() if is_calm(scenario(name))]
SEEDS = (None, 1, 2, 3, 17)
LARGEST = 60_000
"""Bytes: a cassette of ours can be read by a person."""


@lru_cache
def made(name):
    return takes(load(screenplays()[name]))


def main_of(chosen):
    return chosen.recording.metadata["scenario"]["main"]


def reworded(body):
    """Return *body* with its last turn in slightly other words: lawful, and recorded by nobody."""
    body = copy.deepcopy(body)
    turn = body["messages"][-1]
    if isinstance(turn["content"], str):
        turn["content"] += " "
    else:
        for block in turn["content"]:
            block["text" if block["type"] == "text" else "content"] += " "
    return body


def conditional():
    return [
        pytest.param(name, branch["name"], id=f"{name}-{branch['name']}")
        for name in NAMES
        for branch in made(name).branches
        if branch["when"] is not None
    ]


def states_usage(name):
    """Return whether the screenplay says what its answers cost."""
    play = load(screenplays()[name])
    return any(turn.usage for line in (play, *play.branches) for turn in line.turns)


def test_every_screenplay_has_its_cassette_and_every_cassette_its_screenplay():
    assert sorted(scenarios()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_cassette_is_small_enough_to_be_read(name):
    assert (paths.cassettes() / f"{name}.yaml").stat().st_size < LARGEST


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_request_is_one_the_api_takes(name):
    for exchange in scenario(name).recording.exchanges:
        assert check_request(exchange.request) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_cassette_says_that_it_is_scripted_and_in_two_languages(name):
    story = cassette.read(paths.cassettes() / f"{name}.yaml").metadata["scenario"]
    assert story["provenance"]["kind"] == "scripted"
    for told in (story, *story["branches"]):
        assert told["title"] != told["title_es"]
    assert story["story"] != story["story_es"]


def test_most_kinds_of_scenario_are_calm_and_the_first_ones_are():
    assert {"list_then_read", "not_done_yet", "parallel_reads", "todo_list"} <= set(CALM)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_requests_of_the_main_line_get_its_answers_in_order_whatever_the_seed(name, seed):
    session = scenario(name).start(seed=seed)
    for index in main_of(scenario(name)):
        body = session.scenario.recording.exchanges[index].request
        assert session.replay.answer(json.dumps(body).encode()).exchange == index


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CALM)
def test_an_ordinary_loop_plays_the_main_line_to_its_end_whatever_the_seed(name, seed):
    chosen = scenario(name)
    responses = play(chosen.start(seed=seed))
    expected = [chosen.recording.exchanges[index].message["stop_reason"] for index in main_of(chosen)]
    assert [response.stop_reason for response in responses] == expected


@pytest.mark.parametrize("name", NAMES)
def test_an_exact_branch_answers_the_request_it_was_recorded_for(name):
    written = made(name)
    replay = Replay(scenario(name).recording)
    for branch in written.branches:
        given = replay.answer(json.dumps(written.examples[branch["name"]]).encode())
        assert given.exchange in branch["exchanges"], branch["name"]


@pytest.mark.parametrize(("name", "branch"), conditional())
def test_a_condition_is_reached_by_a_request_in_other_words(name, branch):
    body = reworded(made(name).examples[branch])
    assert check_request(body) is None
    given = Replay(scenario(name).recording).answer(json.dumps(body).encode())
    assert (given.by, given.branch) == ("branch", branch)


@pytest.mark.parametrize("name", NAMES)
def test_the_words_a_seed_exchanges_occur_and_what_replaces_them_does_not(name):
    text = (paths.cassettes() / f"{name}.yaml").read_text(encoding="utf-8").split("interactions:", 1)[1]
    words = load(screenplays()[name]).skin
    assert words
    for word, choices in words.items():
        assert choices[0] == word
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), word
        for other in choices[1:]:
            assert not re.search(rf"(?<!\w){re.escape(other)}(?!\w)", text), other
    every = list(itertools.chain.from_iterable(words.values()))
    assert len(every) == len(set(every))


@pytest.mark.parametrize("name", [name for name in NAMES if not states_usage(name)])
def test_token_figures_are_whole_and_grow_with_the_conversation(name):
    chosen = scenario(name)
    messages = [chosen.recording.exchanges[index].message for index in main_of(chosen)]
    figures = [message["usage"]["input_tokens"] for message in messages if message is not None]
    assert figures == sorted(set(figures))
    for exchange in chosen.recording.exchanges:
        limit, message = exchange.request["max_tokens"], exchange.message
        if message is not None:
            spent = message["usage"]["output_tokens"]
            assert spent == limit if message["stop_reason"] == "max_tokens" else 0 < spent <= limit


def test_the_todo_comments_stand_on_the_lines_that_the_search_names():
    messages = scenario("todo_list").recording.exchanges[5].request["messages"]
    blocks = [block for turn in messages[1:] for block in turn["content"]]
    search, *_ = calls = of_type(blocks, "tool_use")
    results = {block["tool_use_id"]: block["content"] for block in of_type(blocks, "tool_result")}
    files = {call["input"].get("path"): results[call["id"]] for call in calls if call["name"] == "read_file"}
    (written,) = (call["input"]["content"] for call in calls if call["name"] == "write_file")
    hits = [hit.split(":", 2) for hit in results[search["id"]].splitlines()]
    assert len(hits) == 4
    for path, line, text in hits:
        assert files[path].splitlines()[int(line) - 1] == text
        assert f"`{path}:{line}`" in written
