"""Whatever cuts a run leaves a lawful transcript, finished results kept; and a cut one can be taken up."""

import copy
from typing import Any

import pytest

from simulator.loop import Interrupted, run_agent_loop
from tests.loop.made import DONE, HANDLERS, TASK, TOOLS, Fake, call, play, resendable, results, says

TWO = says(call("toolu_1"), call("toolu_2", "weigh"), call("toolu_3", "sell"))


def ctrl_c(**given: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize("how", [{}, {"parallel": 3}, {"tool_seconds": None}])
def test_ctrl_c_within_a_tool_keeps_what_is_finished_and_answers_the_rest(how: dict[str, Any]) -> None:
    result = play(Fake(TWO), handlers={"weigh": ctrl_c}, **how)
    assert result.exit == Interrupted("keyboard", "act")
    first, second, _ = results(result.messages[-1])
    assert first["content"] == "12"
    assert "may have had an effect" in second["content"]
    resendable(result.messages)


def test_ctrl_c_within_a_request_leaves_the_conversation_before_it() -> None:
    result = play(Fake(says(call("toolu_1")), KeyboardInterrupt()))
    assert result.exit == Interrupted("keyboard", "ask")
    assert len(result.messages) == 3
    resendable(result.messages)


def test_ctrl_c_within_a_wait_ends_it() -> None:
    def sleep(seconds: float) -> None:
        raise KeyboardInterrupt

    assert play(Fake(TimeoutError()), sleep=sleep).exit == Interrupted("keyboard", "wait")


def test_ctrl_c_within_the_check_keeps_the_answer() -> None:
    def check(text: str, messages: Any) -> str | None:
        raise KeyboardInterrupt

    result = play(Fake(DONE), check=check)
    assert result.exit == Interrupted("keyboard", "check")
    assert result.text == "There are 12 apples."


@pytest.mark.parametrize("after", range(5))
def test_the_caller_can_cancel_before_any_step(after: int) -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > after

    client = Fake(says(call("toolu_1", n=1)), says(call("toolu_2", "sell", n=2)), says(call("toolu_3", n=3)))
    result = play(client, cancelled=cancelled)
    assert isinstance(result.exit, Interrupted)
    assert result.exit.by == "caller"
    resendable(result.messages)


def test_results_of_an_earlier_turn_are_not_taken_for_those_of_a_cancelled_one() -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) == 4  # the second turn's calls are about to run

    client = Fake(says(call("toolu_1", n=1)), says(call("toolu_2", "sell", n=2)))
    [result] = results(play(client, cancelled=cancelled).messages[-1])
    assert result["tool_use_id"] == "toolu_2"
    assert result["is_error"]


def test_the_articles_loop_lets_ctrl_c_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        run_agent_loop(Fake(TWO), TASK, TOOLS, HANDLERS | {"count": ctrl_c})


def test_an_open_call_of_an_earlier_run_is_answered_and_not_run_again() -> None:
    ran: list[Any] = []
    history = [*TASK, {"role": "assistant", "content": [call("toolu_1", "sell"), call("toolu_2")]}]
    client = Fake(DONE)
    assert play(client, messages=history, handlers={"sell": lambda **given: ran.append(given)}).finished
    assert ran == []
    assert [r["is_error"] for r in results(client.turns[-1])] == [True, True]


def test_a_half_answered_turn_of_an_earlier_run_keeps_its_real_result() -> None:
    real = {"type": "tool_result", "tool_use_id": "toolu_2", "content": "12"}
    history = [
        *TASK,
        {"role": "assistant", "content": [call("toolu_1", "sell"), call("toolu_2")]},
        {"role": "user", "content": [real, {"type": "text", "text": "Go on."}]},
    ]
    client = Fake(DONE)
    assert play(client, messages=history).finished
    assert real in client.turns[-1]["content"]


def test_what_the_caller_gave_is_never_changed() -> None:
    messages, tools = copy.deepcopy(TASK), copy.deepcopy(TOOLS)
    play(Fake(TWO, DONE), messages=messages, tools=tools)
    assert (messages, tools) == (TASK, TOOLS)


def test_the_caller_may_change_what_came_back_without_touching_the_run() -> None:
    client = Fake(TWO, DONE)
    result = play(client)
    result.messages[0]["content"] = "changed"
    assert client.sent[0]["messages"] == TASK
