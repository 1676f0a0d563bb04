"""In an event loop it is the same loop: same answers, same log, same exits, deadlines, waits and checks."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.loop import (
    Budget,
    Compaction,
    FatalFailure,
    Finished,
    Policy,
    Retry,
    Run,
    TransientFailure,
    arun,
    run,
)
from simulator.recording.scenario import Scenario
from simulator.wire.stream import to_events
from tests.loop.awaited import AsyncFake, Scissors, aplay
from tests.loop.made import (
    DONE,
    HANDLERS,
    MODEL,
    TASK,
    TOOLS,
    ApiFailure,
    Fake,
    call,
    play,
    results,
    says,
)
from tests.loop.test_properties import Model, answered_once, handlers, lines, outcomes


@settings(max_examples=100, deadline=None)
@given(
    script=st.lists(lines, max_size=8),
    behaviour=outcomes,
    steps=st.integers(0, 8),
    streamed=st.booleans(),
    context=st.sampled_from([None, 300]),
    parallel=st.sampled_from([1, 3]),
)
def test_it_is_the_same_loop(
    script: list[Any],
    behaviour: list[Any],
    steps: int,
    streamed: bool,
    context: int | None,
    parallel: int,
) -> None:
    how: dict[str, Any] = {
        "budget": Budget(steps=steps),
        "retry": Retry(attempts=2),
        "compaction": Compaction(context) if context else None,
        "on_stream": (lambda event: None) if streamed else None,
    }
    one = play(Model(script, streamed), handlers=handlers(behaviour), **how)
    # One at a time, for the handlers take their behaviour in the order in which they run.
    other = aplay(Model(script, streamed), handlers=handlers(behaviour), **how)
    assert repr(other) == repr(one)
    assert other.messages == one.messages
    assert [event.step for event in other.events] == [event.step for event in one.events]
    at_once = aplay(Model(script, streamed), handlers=handlers(["12"]), parallel=parallel, **how)
    answered_once(at_once.messages)


def test_a_plain_handler_runs_beside_the_event_loop_and_meets_its_deadline() -> None:
    gate, threads = threading.Event(), list[Any]()

    def counts(**given: Any) -> str:
        threads.append(threading.current_thread())
        return "12"

    client = Fake(says(call("toolu_1"), call("toolu_2", "weigh")), DONE)
    given = {"count": counts, "weigh": lambda **given: gate.wait(60)}
    assert aplay(client, handlers=given, plain=True, tool_seconds=0.05).finished
    gate.set()
    first, second = results(client.turns[-1])
    assert threads[0] is not threading.main_thread()
    assert first["content"] == "12"
    assert "may still be running" in second["content"]


def test_a_coroutine_that_hangs_meets_its_deadline_and_its_own_timeout_is_its_own() -> None:
    async def hangs(**given: Any) -> None:
        await asyncio.Event().wait()

    async def gives_up(**given: Any) -> None:
        raise TimeoutError("the scales did not answer")

    client = Fake(says(call("toolu_1"), call("toolu_2", "weigh")), DONE)
    policy = Policy(MODEL, tool_seconds=0.02)
    given = HANDLERS | {"count": hangs, "weigh": gives_up}
    asyncio.run(arun(AsyncFake(client, Scissors()), TASK, TOOLS, given, policy))
    first, second = results(client.turns[-1])
    assert "did not come back within 0.02 seconds" in first["content"]
    assert "the scales did not answer" in second["content"]


def test_calls_run_at_once_are_answered_in_their_order() -> None:
    async def main() -> None:
        weighed = asyncio.Event()

        async def count(**given: Any) -> str:
            await weighed.wait()
            return "12"

        async def weigh(**given: Any) -> str:
            weighed.set()
            return "3 kg"

        given = HANDLERS | {"count": count, "weigh": weigh}
        await arun(AsyncFake(client, Scissors()), TASK, TOOLS, given, Policy(MODEL, parallel=2))

    client = Fake(says(call("toolu_1"), call("toolu_2", "weigh")), DONE)
    asyncio.run(main())
    assert [r["content"] for r in results(client.turns[-1])] == ["12", "3 kg"]


def test_a_transient_failure_is_waited_for_by_awaiting() -> None:
    tries: list[int] = []
    scissors = Scissors()

    async def sell(**given: Any) -> str:
        tries.append(1)
        if len(tries) < 3:
            raise TransientFailure("the line is busy", retry_after=4)
        return "sold"

    client = Fake(ApiFailure(429, retry_after="2"), says(call("toolu_1", "sell")), DONE)
    policy = Policy(MODEL, sleep=scissors.breath)
    asyncio.run(arun(AsyncFake(client, Scissors()), TASK, TOOLS, HANDLERS | {"sell": sell}, policy))
    assert results(client.turns[-1])[0]["content"] == "sold"
    assert scissors.awaits == 3


def test_a_check_may_be_a_coroutine_and_a_plain_one_runs_beside_the_event_loop() -> None:
    threads: list[Any] = []

    async def asynchronous(text: str, messages: Any) -> str | None:
        threads.append(threading.current_thread())
        return None

    def plain(text: str, messages: Any) -> str | None:
        threads.append(threading.current_thread())
        return None

    for check in (asynchronous, plain):
        assert aplay(Fake(DONE), check=check).finished
    assert [thread is threading.main_thread() for thread in threads] == [True, False]


def test_a_handler_can_end_the_run() -> None:
    async def sell(**given: Any) -> None:
        raise FatalFailure("the key was revoked")

    client = AsyncFake(Fake(says(call("toolu_1", "sell"))), Scissors())
    result = asyncio.run(arun(client, TASK, TOOLS, HANDLERS | {"sell": sell}, Policy(MODEL)))
    assert result.sentence() == "Stopped by a tool, after 1 attempts: the key was revoked"


@pytest.mark.parametrize("name", ["list_then_read", "parallel_reads", "todo_list"])
def test_the_sdks_asynchronous_client_plays_a_scenario_to_the_same_end(name: str) -> None:
    async def main(scenario: Scenario, streamed: bool) -> Run:
        session = scenario.start()
        show: Callable[[Any], None] | None = (lambda event: None) if streamed else None
        policy = Policy(session.model, session.max_tokens, session.system, on_stream=show)
        return await arun(session.async_client, session.messages, session.tools, session.handlers, policy)

    scenario = simulator.scenario(name)
    session = scenario.start()
    policy = Policy(session.model, session.max_tokens, session.system)
    plain = run(session.client, session.messages, session.tools, session.handlers, policy)
    for streamed in (False, True):
        result = asyncio.run(main(scenario, streamed))
        assert result.exit == Finished("end_turn")
        assert result.messages == plain.messages


def test_a_broken_stream_is_asked_for_again_and_nothing_of_it_is_kept() -> None:
    events = to_events(DONE)
    seen: list[Any] = []
    client = Fake({"events": events[:3]}, {"events": events})
    result = aplay(client, on_stream=seen.append)
    assert result.finished
    assert len(result.messages) == 2
    assert seen[3] == {"type": "discarded"}


def test_the_wrong_kind_of_client_or_handler_is_a_mistake_said_in_a_sentence() -> None:
    async def count(**given: Any) -> str:
        return "12"

    with pytest.raises(ValueError, match="coroutine functions, and this loop does not await: count"):
        play(Fake(DONE), handlers={"count": count})
    result = play(AsyncFake(Fake(DONE), Scissors()))
    assert "The client is asynchronous" in result.sentence()
