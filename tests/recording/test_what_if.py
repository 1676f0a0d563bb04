"""What if an answer ends with another signal: what it holds then, and what the API answers afterwards."""

import json

import pytest

from simulator import scenario
from simulator.recording.replay import OffScript
from simulator.recording.scenario import Scenario
from simulator.wire.rules import check_request
from simulator.wire.stream import assemble
from tests.recording.made import (
    ANSWERED,
    ASKED,
    DONE,
    TASK,
    call,
    exchange,
    list_dir,
    plain_loop,
    raw,
    recording,
    request,
    said,
    told,
)

SIGNALS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "out_of_ink",
)


def replay(what_if, made=None, **more):
    return Scenario.of(made or list_dir()).start(what_if=what_if, **more).replay


def message(what_if, made=None, body=None):
    answer = replay(what_if, made).answer(raw(body or request(TASK)))
    assert json.loads(answer.body) == answer.message
    return answer.message


def back(message):
    return {"role": "assistant", "content": message["content"]}


# --- what the answer holds -------------------------------------------------------------------------------


@pytest.mark.parametrize("signal", SIGNALS)
def test_an_answer_ends_with_the_signal_and_says_what_was_recorded(signal):
    answer = replay({1: signal}).answer(raw(request(TASK)))
    assert (answer.message["stop_reason"], answer.instead_of) == (signal, "tool_use")
    assert (answer.status, answer.by, answer.exchange) == (200, "recording", 0)


@pytest.mark.parametrize("signal", ["end_turn", "stop_sequence"])
def test_an_answer_that_ends_makes_no_calls_and_keeps_its_text(signal):
    made = message({1: signal})
    assert made["content"] == [{"type": "text", "text": "I will look."}]
    assert (made["stop_sequence"] is None) is (signal == "end_turn")
    assert made["usage"] == {"input_tokens": 5, "output_tokens": 3}


def test_the_stop_sequence_is_one_that_was_asked_for():
    asked = request(TASK, stop_sequences=["THE END", "ENOUGH"])
    assert message({1: "stop_sequence"}, body=asked)["stop_sequence"] == "THE END"


@pytest.mark.parametrize("signal", ["max_tokens", "model_context_window_exceeded"])
@pytest.mark.parametrize(
    ("given", "cut"),
    [
        ({"path": "README.md", "mode": "whole"}, {"path": "README.md", "mode": "wh"}),
        ({"path": "README.md", "line": 7}, {"path": "READ"}),
        ({"line": 7, "path": "a"}, {"line": 7}),
        ({"line": 7}, {}),
        ({}, {}),
    ],
)
def test_a_call_is_cut_in_its_last_text_and_what_would_follow_is_missing(signal, given, cut):
    made = recording(
        exchange(0, request(TASK), said("I will look.", call("toolu_1"), call("toolu_2", **given)))
    )
    content = message({1: signal}, made)["content"]
    assert [block.get("input") for block in content] == [None, {}, cut]
    assert content[2]["id"] == "toolu_2"


def test_a_text_is_cut_in_half_and_all_the_tokens_there_were_are_spent():
    run = replay({2: "max_tokens"})
    run.answer(raw(request(TASK)))
    made = run.answer(raw(request(TASK, ASKED, ANSWERED))).message
    assert made["content"] == [{"type": "text", "text": "There are "}]
    assert made["usage"]["output_tokens"] == 1024


def test_a_refusal_has_no_content():
    made = message({1: "refusal"})
    assert (made["content"], made["stop_details"]["type"]) == ([], "refusal")


def test_a_pause_waits_for_a_tool_of_the_server():
    (block,) = message({1: "pause_turn"})["content"]
    assert (block["type"], block["name"]) == ("server_tool_use", "web_search")
    assert block["id"].startswith("srvtoolu_01")
    assert block["input"] == {"query": "Which files are here?"}
    offered = request(TASK, tools=[{"type": "web_search_20250305", "name": "look_up"}])
    made = recording(exchange(0, offered, DONE))
    assert message({1: "pause_turn"}, made, offered)["content"][0]["name"] == "look_up"


@pytest.mark.parametrize("signal", ["tool_use", "out_of_ink"])
def test_with_a_signal_that_says_nothing_of_the_content_it_stands(signal):
    made = recording(exchange(0, request(TASK), DONE))
    assert message({1: signal}, made)["content"] == DONE["content"]


def test_an_answer_that_ends_so_already_is_as_recorded():
    answer = replay({1: "tool_use"}).answer(raw(request(TASK)))
    assert (answer.message["id"], answer.instead_of) == ("msg_01Made0", "tool_use")


def test_other_answers_of_the_run_are_as_recorded():
    session = Scenario.of(list_dir()).start(what_if={2: "max_tokens"})
    response = plain_loop(session)
    assert (response.stop_reason, session.replay.requests) == ("max_tokens", 2)
    run = replay({7: "refusal"})
    assert run.answer(raw(request(TASK))).instead_of is None


def test_a_stream_is_ended_likewise():
    for recorded in (False, True):
        made = recording(exchange(0, request(TASK), ASKED, streamed=recorded))
        answer = replay({1: "max_tokens"}, made).answer(raw(request(TASK, stream=True)))
        got = assemble(answer.body)
        assert (got.complete, got.message["stop_reason"]) == (True, "max_tokens")
        assert got.message["content"] == answer.message["content"]
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_a_refused_request_is_refused_as_ever():
    answer = replay({1: "refusal"}).answer(raw(request({"role": "user", "content": []})))
    assert (answer.by, answer.status, answer.instead_of) == ("rule", 400, None)


def test_the_same_run_gets_the_same_bytes():
    for signal in SIGNALS:
        one, two = (replay({1: signal}).answer(raw(request(TASK))) for _ in range(2))
        assert one == two


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_seed_dresses_what_is_ended_otherwise(signal):
    made = scenario("list_then_read")
    session = made.start(seed=4, what_if={1: signal})
    content = session.replay.answer(raw(session.scenario.request)).message["content"]
    kept = [block["id"] for block in content if block["type"] == "tool_use"]
    recorded = [b["id"] for b in made.recording.exchanges[0].message["content"] if b["type"] == "tool_use"]
    assert not set(kept) & set(recorded)


# --- what comes next -------------------------------------------------------------------------------------


def test_asked_again_with_more_room_the_cut_answer_comes_whole():
    run = replay({1: "max_tokens"})
    cut = run.answer(raw(request(TASK)))
    assert run.answer(raw(request(TASK))).message == cut.message
    assert run.answer(raw(request(TASK, max_tokens=512))).message == cut.message
    whole = run.answer(raw(request(TASK, max_tokens=4096)))
    assert (whole.message["content"], whole.instead_of) == (ASKED["content"], None)


@pytest.mark.parametrize("signal", [each for each in SIGNALS if each != "max_tokens"])
def test_asked_the_same_again_the_answer_ends_the_same_way(signal):
    run = replay({1: signal})
    first = run.answer(raw(request(TASK)))
    again = run.answer(raw(request(TASK, max_tokens=4096)))
    assert (again.message, again.instead_of) == (first.message, "tool_use")


def test_the_answer_to_a_later_request_can_be_named_by_its_own_number():
    run = replay({1: "max_tokens", 2: "refusal"})
    assert [run.answer(raw(request(TASK))).message["stop_reason"] for _ in range(3)] == [
        "max_tokens",
        "refusal",
        "refusal",
    ]


def test_a_pause_that_is_sent_back_as_it_is_goes_on_to_what_was_recorded():
    run = replay({1: "pause_turn"})
    paused = run.answer(raw(request(TASK))).message
    body = request(TASK, back(paused))
    assert check_request(body) is None
    answer = run.answer(raw(body))
    found, *rest = answer.message["content"]
    assert (found["type"], found["tool_use_id"]) == ("web_search_tool_result", paused["content"][0]["id"])
    assert (rest, answer.message["stop_reason"], answer.instead_of) == (ASKED["content"], "tool_use", None)
    body = request(TASK, back(paused), back(answer.message), ANSWERED)
    assert check_request(body) is None
    last = run.answer(raw(body))
    assert (last.exchange, last.message["content"]) == (1, DONE["content"])


def test_a_pause_may_follow_a_pause():
    run = replay({1: "pause_turn", 2: "pause_turn"})
    first = run.answer(raw(request(TASK))).message
    second = run.answer(raw(request(TASK, back(first)))).message
    assert [block["type"] for block in second["content"]] == ["web_search_tool_result", "server_tool_use"]
    third = run.answer(raw(request(TASK, back(first), back(second)))).message
    assert third["stop_reason"] == "tool_use"
    merged = {"role": "assistant", "content": first["content"] + second["content"] + third["content"]}
    assert check_request(request(TASK, merged, ANSWERED)) is None
    assert run.answer(raw(request(TASK, merged, ANSWERED))).message["content"] == DONE["content"]


def test_a_pause_that_is_answered_by_the_user_is_refused_by_the_rules():
    run = replay({1: "pause_turn"})
    paused = run.answer(raw(request(TASK))).message
    answer = run.answer(raw(request(TASK, back(paused), told("Go on."))))
    assert (answer.by, answer.status) == ("rule", 400)
    assert "web_search_tool_result" in answer.error.message


def test_what_nobody_recorded_is_off_script_as_ever():
    run = replay({1: "end_turn"})
    ended = run.answer(raw(request(TASK))).message
    with pytest.raises(OffScript):
        run.answer(raw(request(TASK, back(ended), told("Go on."))))


def test_a_branch_answers_what_its_condition_holds_for():
    run = scenario("truncated_call").start(what_if={1: "max_tokens"}).replay
    body = scenario("truncated_call").request
    cut = run.answer(raw(body)).message
    result = {
        "type": "tool_result",
        "tool_use_id": cut["content"][1]["id"],
        "content": "cut",
        "is_error": True,
    }
    answer = run.answer(raw({**body, "messages": [*body["messages"], back(cut), told(result)]}))
    assert (answer.by, answer.branch) == ("branch", "read_fails")


def test_each_run_has_its_own_what_if():
    made = Scenario.of(list_dir())
    assert made.start(what_if={1: "refusal"}).replay.answer(raw(request(TASK))).instead_of == "tool_use"
    assert made.start().replay.answer(raw(request(TASK))).instead_of is None


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what_if", "words"),
    [
        ({0: "refusal"}, "requests are counted from 1"),
        ({-1: "refusal"}, "requests are counted from 1"),
        ({True: "refusal"}, "requests are counted from 1"),
        ({"2": "refusal"}, "what_if names request '2'"),
        ({2: ""}, "ends the answer to request 2 with ''"),
        ({2: "  "}, "no signal"),
        ({2: None}, "no signal"),
        ("refusal", "what_if is of type str"),
        ([2], "what_if is of type list"),
    ],
)
def test_what_is_no_what_if_is_refused_in_one_sentence(what_if, words):
    with pytest.raises(ValueError, match=words) as refused:
        Scenario.of(list_dir()).start(what_if=what_if)
    assert "as in what_if={2: " in str(refused.value) or "a stop_reason such as" in str(refused.value)


def test_no_what_if_is_none():
    assert Scenario.of(list_dir()).start(what_if={}).replay.answer(raw(request(TASK))).instead_of is None
