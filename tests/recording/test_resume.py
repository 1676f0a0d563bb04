"""Scenarios that begin with what an earlier run left, and streams whose calls come in turns."""

import pytest

from simulator.recording.cassette import CassetteError
from simulator.recording.record import record
from simulator.recording.scenario import Scenario, scenario
from simulator.recording.screenplay import ScreenplayError, load
from simulator.recording.takes import metadata, takes
from simulator.wire.interleave import is_interleaved
from simulator.wire.message import calls, results
from simulator.wire.rules import check_request
from simulator.wire.sse import from_sse
from tests.recording.made import list_dir
from tests.recording.test_screenplay import SMALL


def body(given):
    return {"model": "claude-sonnet-5-5", "max_tokens": 64, "messages": given}


@pytest.fixture
def write(tmp_path):
    def write(resume):
        path = tmp_path / "small.yaml"
        path.write_text(SMALL.replace("turns:\n", f"resume: {resume}\nturns:\n", 1), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_loop_can_be_given_a_history_that_ends_in_an_open_call(seed):
    session = scenario("left_open").start(seed=seed)
    (call,) = calls(session.messages)
    assert list(results(session.messages)) == []
    assert check_request(body(session.messages)).rule == "pairing.result_missing"
    said = session.handlers[call["name"]](**call["input"])
    answer = {"type": "tool_result", "tool_use_id": call["id"], "content": said}
    session.messages.append({"role": "user", "content": [answer]})
    asked = {"model": session.model, "max_tokens": session.max_tokens, "tools": session.tools}
    response = session.client.messages.create(**asked, messages=session.messages)
    assert response.stop_reason == "end_turn"


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_some_of_the_calls_can_have_their_results_already(seed):
    given = scenario("left_half_done").start(seed=seed).messages
    done, left = calls(given)
    (result,) = results(given)
    assert result["tool_use_id"] == done["id"]
    assert left["name"] == "print_pass"


def test_after_an_answer_without_calls_comes_what_the_user_says_next():
    given = scenario("asked_once_more").messages
    assert [turn["role"] for turn in given[-2:]] == ["assistant", "user"]
    assert given[-1]["content"] == "Somebody must have it. Please look again."
    assert check_request(body(given)) is None


def test_each_run_is_given_its_own_copy():
    chosen = scenario("left_open")
    chosen.messages[-1]["content"].clear()
    assert list(calls(chosen.messages))


def test_a_screenplay_says_after_which_answer(write, tmp_path):
    record(write("{after: 1}"), tmp_path / "left.yaml")
    chosen = scenario(tmp_path / "left.yaml")
    assert [turn["role"] for turn in chosen.messages] == ["user", "assistant"]


@pytest.mark.parametrize("resume", ["{after: 2}", "{after: 7}", "{after: 1, answered: 2}"])
def test_a_resumption_that_leads_nowhere_is_refused(write, resume):
    with pytest.raises(ScreenplayError):
        metadata(takes(load(write(resume))))


@pytest.mark.parametrize("resume", [7, {}, {"exchange": 9}, {"exchange": 0, "answered": -1}])
def test_a_cassette_with_another_resumption_is_refused(resume):
    with pytest.raises(CassetteError) as refusal:
        Scenario.of(list_dir(resume=resume))
    assert refusal.value.place == "metadata.scenario.resume"


@pytest.mark.parametrize("seed", [None, 1, 5, 9])
def test_calls_that_arrive_in_turns_do_so_whatever_the_seed(seed):
    chosen = scenario("stock_take") if seed is None else scenario("stock_take").skinned(seed)
    exchange = chosen.recording.exchanges[0]
    assert is_interleaved(from_sse(exchange.raw))
    session = chosen.start()
    with session.client.messages.stream(
        model=session.model, max_tokens=session.max_tokens, tools=session.tools, messages=session.messages
    ) as stream:
        message = stream.get_final_message()
    inputs = [block.input for block in message.content if block.type == "tool_use"]
    assert inputs == [block["input"] for block in calls([exchange.message | {"role": "assistant"}])]
    assert inputs[1] == {}
