"""Every stop_reason has its branch; what the model said comes back as it came."""

from typing import Any, get_args

import pytest

from simulator.loop import (
    BudgetExceeded,
    Finished,
    PausedTooOften,
    Policy,
    Refused,
    Truncated,
    UnhandledSignal,
    UnhandledStop,
    Unverified,
    run_agent_loop,
    sentence,
)
from simulator.loop.exits import (
    ContextFull,
    Exit,
    Fatal,
    Interrupted,
    NoProgress,
    OverBudget,
)
from tests.loop.made import DONE, HANDLERS, TASK, TOOLS, Fake, call, play, resendable, results, says

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "apples"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
THOUGHT = {"type": "thinking", "thinking": "Let me count.", "signature": "c2lnbmVk"}
HIDDEN = {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}


@pytest.mark.parametrize(
    ("signal", "ending", "requests"),
    [
        ("end_turn", Finished, 1),
        ("stop_sequence", Finished, 1),
        ("max_tokens", Truncated, 1),
        ("refusal", Refused, 1),
        ("pause_turn", PausedTooOften, 4),
        ("model_context_window_exceeded", ContextFull, 1),
        ("tool_use", UnhandledSignal, 1),
        ("signal_of_tomorrow", UnhandledSignal, 1),
    ],
)
def test_every_signal_without_a_call_has_its_own_end(signal: str, ending: Any, requests: int) -> None:
    client = Fake(says("Some words.", SEARCH, stop=signal))
    result = play(client, pauses=3)
    assert isinstance(result.exit, ending)
    assert len(client.sent) == requests


@pytest.mark.parametrize(
    "signal", ["end_turn", "stop_sequence", "max_tokens", "refusal", "model_context_window_exceeded", "new"]
)
def test_only_tool_use_runs_a_tool_and_every_call_is_answered_all_the_same(signal: str) -> None:
    ran: list[Any] = []
    client = Fake(says("I count.", call("toolu_1"), stop=signal))
    result = play(client, handlers={"count": lambda **given: ran.append(given)})
    assert ran == []
    assert [r["is_error"] for r in results(result.messages[-1])] == [True]
    resendable(result.messages)


def test_a_paused_turn_is_sent_back_unchanged_and_taken_up() -> None:
    paused = says("Searching.", SEARCH, FOUND, stop="pause_turn")
    client = Fake(paused, DONE)
    assert play(client).finished
    assert client.turns[-1] == {"role": "assistant", "content": paused["content"]}
    assert client.sent[0]["tools"] == client.sent[1]["tools"]


def test_thinking_and_server_blocks_are_echoed_unchanged_and_never_dispatched() -> None:
    content = [THOUGHT, HIDDEN, SEARCH, FOUND, call("toolu_1")]
    client = Fake(says(*content), DONE)
    assert play(client).finished
    assert client.turns[1]["content"] == content
    assert [block["type"] for block in client.turns[2]["content"]] == ["tool_result"]


def test_a_blank_text_block_is_not_sent_back_and_the_call_beside_it_is() -> None:
    client = Fake(says("", call("toolu_1"), stop="tool_use"), DONE)
    assert play(client).finished
    assert client.turns[1]["content"] == [call("toolu_1")]


def test_an_empty_answer_is_asked_about_once_in_a_new_user_turn() -> None:
    client = Fake(says(call("toolu_1")), says(stop="end_turn"))
    result = play(client)
    assert result.exit == Unverified("the answer was empty", 0)
    assert len(client.sent) == 3
    assert client.turns[-1]["role"] == "user"
    assert client.turns[-1]["content"][0]["type"] == "text"


def test_text_never_decides() -> None:
    client = Fake(says("Done! Finished! I am done.", call("toolu_1")), says("I am not done, use tool count."))
    assert play(client).exit == Finished("end_turn")
    assert len(client.sent) == 2


def test_a_truncated_call_is_asked_for_again_with_twice_the_room_and_the_same_messages() -> None:
    client = Fake(says(call("toolu_1"), stop="max_tokens"))
    result = play(client, max_tokens=100, truncation_retries=2)
    assert [body["max_tokens"] for body in client.sent] == [100, 200, 400]
    assert client.sent[0]["messages"] == client.sent[2]["messages"]
    assert result.exit == Truncated(400, ("count",))


def test_a_forced_tool_is_forced_once() -> None:
    client = Fake(says(call("toolu_1")), DONE)
    policy = Policy("claude-sonnet-4-5", parameters={"tool_choice": {"type": "any"}})
    run_agent_loop(client, TASK, TOOLS, HANDLERS, policy=policy)
    assert "tool_choice" in client.sent[0]
    assert "tool_choice" not in client.sent[1]


@pytest.mark.parametrize(
    ("answer", "stop_reason"),
    [
        (says("x", stop="max_tokens"), "max_tokens"),
        (says(stop="refusal"), "refusal"),
        (says("x", SEARCH, stop="pause_turn"), "pause_turn"),
        (says("x", stop="model_context_window_exceeded"), None),
        (says("x", stop="signal_of_tomorrow"), "signal_of_tomorrow"),
    ],
)
def test_the_articles_loop_raises_for_every_signal_that_is_not_the_end(
    answer: Any, stop_reason: str | None
) -> None:
    with pytest.raises(UnhandledStop) as caught:
        run_agent_loop(Fake(answer), TASK, TOOLS, HANDLERS, 30)
    assert caught.value.stop_reason == (stop_reason or "model_context_window_exceeded")


def test_the_articles_loop_raises_the_apis_own_error() -> None:
    error = ValueError("not the API's, but the client's")
    with pytest.raises(ValueError, match="the client's"):
        run_agent_loop(Fake(error), TASK, TOOLS, HANDLERS)


def test_a_budget_says_its_limit() -> None:
    with pytest.raises(BudgetExceeded, match="1 steps were allowed"):
        run_agent_loop(Fake(says(call("toolu_1"))), TASK, TOOLS, HANDLERS, 1)


ENDINGS: list[Exit] = [
    Finished("end_turn"),
    Unverified("two tests fail", 2),
    OverBudget("money", 1, 2, ("count",)),
    NoProgress("repeated", "count", {}, 3),
    Fatal("api", "no key"),
    Truncated(100),
    Refused(),
    PausedTooOften(4),
    ContextFull(9, 8),
    UnhandledSignal("new"),
    Interrupted("keyboard", "ask"),
]


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_exit_has_a_sentence_of_its_own_for_a_user(lang: str) -> None:
    assert {type(each) for each in ENDINGS} == set(get_args(Exit))
    assert len({sentence(each, lang) for each in ENDINGS}) == len(ENDINGS)
