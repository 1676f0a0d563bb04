"""The article's signature: the final response, or a typed exception that holds the run; the usual options."""

import threading
from typing import Any

import pytest

from simulator.loop import (
    Budget,
    BudgetExceeded,
    Finished,
    LoopInterrupted,
    LoopStopped,
    Moved,
    Policy,
    UnhandledStop,
    run_agent_loop,
)
from tests.loop.made import DONE, HANDLERS, MODEL, TASK, TOOLS, ApiFailure, Clock, Fake, call, says

BUSY = [says(call(f"toolu_{n}", n=n), usage={"input_tokens": 90, "output_tokens": 10}) for n in range(30)]


def ask(client: Any, *given: Any, handlers: Any = None, **how: Any) -> Any:
    return run_agent_loop(client, TASK, TOOLS, HANDLERS | (handlers or {}), *given, **how)


def test_more_iterations_than_usual_are_as_many_as_were_allowed() -> None:
    client = Fake(*BUSY[:25], DONE)
    assert ask(client, 26) == DONE
    assert len(client.sent) == 26


def test_the_iterations_count_and_not_the_steps_of_the_policy() -> None:
    policy = Policy(MODEL, budget=Budget(steps=3, tokens=700))
    with pytest.raises(BudgetExceeded) as caught:
        ask(Fake(*BUSY), 9, policy=policy)
    assert (caught.value.name, caught.value.limit) == ("tokens", 700)


@pytest.mark.parametrize(
    ("how", "name", "requests"),
    [
        ({"max_total_tokens": 250}, "tokens", 3),
        ({"max_cost": 0.0005}, "money", 2),
        ({"max_cost": 0}, "money", 0),
    ],
)
def test_each_limit_of_spending_ends_it_by_name(how: dict[str, Any], name: str, requests: int) -> None:
    client = Fake(*BUSY)
    with pytest.raises(BudgetExceeded) as caught:
        ask(client, **how)
    assert caught.value.name == name
    assert len(client.sent) == requests
    assert caught.value.run.spend.steps == requests


def test_seconds_are_those_of_the_policys_clock() -> None:
    clock = Clock()
    policy = Policy(MODEL, clock=clock, sleep=clock.sleep)
    with pytest.raises(BudgetExceeded, match="30 seconds were allowed and 40 have passed"):
        ask(
            Fake(*BUSY),
            handlers={"count": lambda n: clock.sleep(20)},
            max_seconds=30,
            policy=policy,
        )


def test_a_check_can_keep_it_from_being_finished() -> None:
    problems = iter(["Crate 3 is missing.", None])
    client = Fake(DONE)
    assert ask(client, check=lambda text, messages: next(problems)) == DONE
    assert "Crate 3 is missing." in client.turns[-1]["content"][0]["text"]
    with pytest.raises(LoopStopped, match="Not verified"):
        ask(Fake(DONE), check=lambda text, messages: "never")


def test_a_hanging_tool_meets_the_timeout_it_was_given() -> None:
    gate, client = threading.Event(), Fake(says(call("toolu_1")), DONE)
    assert ask(client, handlers={"count": lambda: gate.wait(60)}, tool_timeout=0.05) == DONE
    gate.set()
    assert "did not come back within 0.05 seconds" in str(client.turns[-1])


def test_every_move_is_told_to_whoever_wants_it() -> None:
    seen: list[Moved] = []
    ask(Fake(BUSY[0], DONE), on_event=seen.append)
    assert [(event.signal, len(event.tools)) for event in seen] == [
        ("tool_use", 0),
        (None, 1),
        ("end_turn", 0),
    ]
    assert seen[-1].exit == Finished("end_turn")


def test_cancelled_by_the_caller_it_says_so_and_keeps_what_was_done() -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 2

    with pytest.raises(LoopStopped, match="Interrupted") as caught:
        ask(Fake(*BUSY), cancelled=cancelled)
    assert len(caught.value.run.messages) == 3


def test_ctrl_c_stays_ctrl_c_and_keeps_what_was_done() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        ask(Fake(BUSY[0], KeyboardInterrupt()))
    assert isinstance(caught.value, LoopInterrupted)
    assert len(caught.value.run.messages) == 3


@pytest.mark.parametrize("signal", ["max_tokens", "refusal", "model_context_window_exceeded", "tomorrow"])
def test_every_signal_that_is_not_the_end_is_raised_with_the_run(signal: str) -> None:
    with pytest.raises(UnhandledStop) as caught:
        ask(Fake(says("Half of it", stop=signal)))
    assert caught.value.stop_reason == signal
    assert caught.value.run.text == "Half of it"


def test_an_error_of_the_api_is_raised_as_it_came() -> None:
    error = ApiFailure(401, "authentication_error")
    with pytest.raises(ApiFailure) as caught:
        ask(Fake(error))
    assert caught.value is error
