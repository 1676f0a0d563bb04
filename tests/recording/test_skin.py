import json
import re

import pytest

from simulator import scenario, scenarios
from simulator.recording.cassette import CassetteError
from simulator.recording.scenario import Scenario
from simulator.wire.stream import assemble
from tests.recording.made import (
    DONE,
    TASK,
    call,
    exchange,
    failed,
    list_dir,
    plain_loop,
    recording,
    request,
    result,
    said,
    told,
)

WORDS = {"package.json": ["package.json", "manifest.json", "project.json"], "README.md": ["GUIDE.md"]}


def everything(made):
    """All that a loop can see of a recording."""
    return [(json.dumps(each.request), each.headers, each.raw) for each in made.recording.exchanges]


@pytest.mark.parametrize("name", scenarios())
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(name):
    one, same, other = (scenario(name).skinned(seed) for seed in (1, 1, 2))
    assert everything(one) == everything(same)
    assert everything(one) != everything(other)
    assert everything(one) != everything(scenario(name))


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
def test_an_ordinary_loop_runs_on_every_skin(seed):
    session = Scenario.of(list_dir(skin={"words": WORDS})).start(seed=seed)
    response = plain_loop(session)
    assert response.stop_reason == "end_turn"
    assert session.replay.requests == 2


def test_no_old_id_is_left_anywhere():
    made = Scenario.of(list_dir()).skinned(5)
    seen = str(everything(made))
    assert re.findall(r"toolu_1(?!\w)", seen) == []
    assert "msg_01Made" not in seen


def test_a_word_is_exchanged_in_requests_answers_results_and_conditions_alike():
    branch = {"name": "b", "exchanges": [1], "when": {"text": {"contains": "README.md"}}}
    more = {"name": "read_file", "input": {"path": "README.md"}, "results": ["see README.md"]}
    made = Scenario.of(
        list_dir(title="README.md", skin={"words": WORDS}, branches=[branch], handlers=[more])
    ).skinned(7)
    assert "README.md" not in str(everything(made))
    assert made.branches[0].when == {"text": {"contains": "GUIDE.md"}}
    session = made.start()
    assert "GUIDE.md" in session.handlers["list_dir"](path=".")
    assert session.handlers["read_file"](path="GUIDE.md") == "see GUIDE.md"


def test_a_word_inside_a_longer_one_and_what_the_api_reads_are_left_alone():
    turn = said("user userland super.user user")
    made = Scenario.of(
        recording(exchange(0, request(told("user")), turn), skin={"words": {"user": ["person"]}})
    ).skinned(1)
    (only,) = made.recording.exchanges
    assert only.message["content"][0]["text"] == "person userland super.person person"
    assert only.request["messages"] == [told("person")]


@pytest.mark.parametrize("seed", range(12))
def test_two_words_never_become_the_same(seed):
    words = {"alpha": ["one", "two"], "beta": ["two", "one"], "gamma": ["alpha", "three"]}
    made = Scenario.of(
        recording(exchange(0, request(told("alpha\nbeta gamma")), said("Yes.")), skin={"words": words})
    ).skinned(seed)
    text = made.messages[0]["content"][0]["text"].split()
    assert len(set(text)) == 3
    assert text[2] == "three"


def test_a_choice_that_follows_a_line_feed_in_the_cassette_is_taken():
    words = {"alpha": ["beta", "gamma"]}
    made = recording(exchange(0, request(told("alpha")), said("first\nbeta")), skin={"words": words})
    for seed in range(6):
        assert Scenario.of(made).skinned(seed).messages == [told("gamma")]


def test_words_without_a_free_choice_are_an_error_that_names_the_word():
    made = Scenario.of(
        recording(exchange(0, request(told("alpha beta")), DONE), skin={"words": {"alpha": ["beta"]}})
    )
    with pytest.raises(CassetteError, match="alpha"):
        made.skinned(1)


def test_a_word_split_between_two_events_of_a_stream_is_exchanged_too():
    long = said("The file package.json names this project, and package.json its version.")
    made = Scenario.of(
        recording(
            exchange(0, request(TASK), long, streamed=True),
            skin={"words": {"package.json": ["manifest.json"]}},
        )
    ).skinned(3)
    (only,) = made.recording.exchanges
    assert assemble(only.raw).message == only.message
    assert only.message["content"][0]["text"].count("manifest.json") == 2


def test_the_input_of_a_streamed_call_is_exchanged():
    asked = said(call("toolu_1", "read_file", path="src/package.json", other="quite a long text here"))
    made = Scenario.of(
        recording(
            exchange(0, request(TASK), asked, streamed=True),
            exchange(1, request(TASK, asked, told(result("toolu_1", "{}"))), DONE, streamed=True),
            skin={"words": {"package.json": ["manifest.json"]}},
        )
    )
    session = made.start(seed=4)
    response = plain_loop(session)
    assert response.stop_reason == "end_turn"
    assert session.handlers["read_file"](path="src/manifest.json", other="quite a long text here") == "{}"


def test_ids_keep_their_form():
    made = Scenario.of(list_dir()).skinned(1)
    block = made.recording.exchanges[0].message["content"][1]
    assert block["id"].startswith("toolu_")
    assert block["id"].isascii()
    assert made.recording.exchanges[0].message["id"].startswith("msg_01")


def test_an_error_keeps_its_words_and_its_headers():
    headers = {"retry_after": "2", "request_id": "req_01Old"}
    bad = failed(0, request(TASK), 429, "rate_limit_error", "Slow down.", **headers)
    (only,) = Scenario.of(recording(bad)).skinned(1).recording.exchanges
    assert only.headers["retry-after"] == "2"
    assert only.headers["request-id"].startswith("req_01")
    assert only.headers["request-id"] != "req_01Old"
    assert json.loads(only.raw)["error"]["message"] == "Slow down."
