"""Deadlines, cancelling and threads: what is waited for, by which clock, and what is left behind."""

import threading
import time
from typing import Any

import pytest

from simulator.loop import Interrupted, Policy, Run, SubLoop, TransientFailure
from tests.loop.made import DONE, HANDLERS, MODEL, TOOLS, Clock, Fake, call, play, resendable, results, says
from tests.loop.test_subloop import REPORT


def threads_of(*script: Any, **how: Any) -> tuple[Fake, list[threading.Thread]]:
    """The threads in which ``count`` runs."""
    seen: list[threading.Thread] = []
    client = Fake(*script)
    play(client, handlers={"count": lambda **given: seen.append(threading.current_thread())}, **how)
    return client, seen


def test_one_thread_serves_every_call_of_a_run_and_ends_with_it() -> None:
    _, seen = threads_of(*(says(call(f"toolu_{n}", n=n), call(f"toolu_{n}b", n=n)) for n in range(3)), DONE)
    assert len(seen) == 6
    assert len(set(seen)) == 1
    assert seen[0] is not threading.main_thread()
    seen[0].join(5)
    assert not seen[0].is_alive()


def test_a_thread_that_hangs_is_left_behind_and_the_next_call_gets_another() -> None:
    gate = threading.Event()
    client = Fake(says(call("toolu_1", "weigh")), says(call("toolu_2", "sell")), says(call("toolu_3")), DONE)
    given = {"weigh": lambda **given: gate.wait(60)}
    assert play(client, handlers=given, tool_seconds=0.05).finished
    gate.set()
    assert [results(turn)[0]["content"] for turn in client.turns[4::2]] == ["sold", "12"]


def test_a_deadline_is_over_when_the_injected_clock_says_so() -> None:
    clock, gate = Clock(), threading.Event()

    def hangs(**given: Any) -> None:
        clock.now += 3_600
        gate.wait(60)

    began = time.monotonic()
    client = Fake(says(call("toolu_1", "weigh")), DONE)
    assert play(client, handlers={"weigh": hangs}, clock=clock, tool_seconds=600.0).finished
    gate.set()
    assert time.monotonic() - began < 5
    assert "did not come back within 600.0 seconds" in results(client.turns[-1])[0]["content"]


def test_what_has_come_back_counts_even_where_the_injected_clock_ran_ahead() -> None:
    clock = Clock()
    client = Fake(says(call("toolu_1", "weigh")), DONE)
    play(client, handlers={"weigh": lambda **given: clock.sleep(3_600)}, clock=clock, tool_seconds=600.0)
    assert results(client.turns[-1])[0]["content"] == "(no output)"


def test_calls_run_at_once_have_one_deadline_and_not_one_after_the_other() -> None:
    gate = threading.Event()
    three = [call(f"toolu_{n}", n=n) for n in range(3)]
    began = time.monotonic()
    play(Fake(says(*three), DONE), handlers={"count": lambda n: gate.wait(60)}, parallel=3, tool_seconds=0.3)
    gate.set()
    assert time.monotonic() - began < 0.8


def test_a_call_that_was_given_up_is_not_tried_again_behind_the_models_back() -> None:
    tries, gate = list[int](), threading.Event()
    threads: list[threading.Thread] = []

    def busy(**given: Any) -> None:
        tries.append(1)
        threads.append(threading.current_thread())
        gate.wait(60)
        raise TransientFailure("the line is busy", retry_after=0)

    play(Fake(says(call("toolu_1", "sell")), DONE), handlers={"sell": busy}, tool_seconds=0.05)
    gate.set()
    threads[0].join(5)
    assert tries == [1]


def test_the_caller_can_cancel_while_a_tool_hangs() -> None:
    gate, reached = threading.Event(), threading.Event()

    def hangs(**given: Any) -> None:
        reached.set()
        gate.wait(60)

    began = time.monotonic()
    client = Fake(says(call("toolu_1"), call("toolu_2", "weigh"), call("toolu_3", "sell")))
    result = play(client, handlers={"weigh": hangs}, cancelled=reached.is_set)
    gate.set()
    assert time.monotonic() - began < 5
    assert result.exit == Interrupted("caller", "act")
    finished, *_ = results(result.messages[-1])
    assert finished["content"] == "12"
    resendable(result.messages)


def test_the_caller_can_cancel_while_a_tool_hangs_that_has_no_deadline() -> None:
    gate, reached = threading.Event(), threading.Event()

    def hangs(**given: Any) -> None:
        reached.set()
        gate.wait(60)

    client = Fake(says(call("toolu_1", "weigh")))
    result = play(client, handlers={"weigh": hangs}, cancelled=reached.is_set, tool_seconds=None)
    gate.set()
    assert result.exit == Interrupted("caller", "act")


def test_a_handler_that_changes_its_arguments_or_its_result_later_does_not_change_the_conversation() -> None:
    part = {"type": "text", "text": "12"}

    def count(crates: list[int]) -> list[Any]:
        crates.clear()
        return [part]

    result = play(Fake(says(call("toolu_1", crates=[1, 2])), DONE), handlers={"count": count})
    part["text"] = "13"
    assert result.messages[1]["content"][0]["input"] == {"crates": [1, 2]}
    assert results(result.messages[2])[0]["content"] == [{"type": "text", "text": "12"}]


def child_of(parent: dict[str, Any], **own: Any) -> Run:
    """The run of a sub-loop under a parent with these settings, which both end as they may."""
    runs: list[Run] = []
    child = SubLoop(
        Fake(TimeoutError("gone"), says(call("toolu_c")), says(REPORT), DONE),
        TOOLS,
        HANDLERS,
        Policy(MODEL, **own),
        on_run=runs.append,
    )
    client = Fake(says(call("toolu_1", "helper", task="Count.")), DONE)
    play(client, tools=[*TOOLS, child.definition("helper")], handlers={"helper": child}, **parent)
    return runs[0]


def test_a_sub_loop_waits_and_measures_as_its_parent_does() -> None:
    clock = Clock()
    result = child_of({"clock": clock})
    assert clock.slept == [0.5]
    assert result.spend.seconds == 0.5


def test_a_sub_loop_with_a_clock_and_a_sleep_of_its_own_keeps_them() -> None:
    parent, own = Clock(), Clock()
    child_of({"clock": parent}, clock=own, sleep=own.sleep)
    assert (parent.slept, own.slept) == ([], [0.5])


@pytest.mark.parametrize("own", [{}, {"cancelled": lambda: False}])
def test_a_parent_that_is_cancelled_cancels_its_sub_loop(own: dict[str, Any]) -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 4  # the child has begun

    result = child_of({"cancelled": cancelled}, **own)
    assert isinstance(result.exit, Interrupted)
    assert result.exit.by == "caller"
