"""Wherever its task is cancelled, a run in an event loop leaves a lawful transcript and its bill."""

import asyncio
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.loop import (
    Budget,
    Finished,
    Interrupted,
    Policy,
    Run,
    SubLoop,
    arun,
)
from tests.loop.awaited import AsyncFake, Scissors, aplay, awaited
from tests.loop.made import (
    DONE,
    HANDLERS,
    MODEL,
    TASK,
    TOOLS,
    Fake,
    call,
    resendable,
    results,
    says,
)
from tests.loop.test_properties import Model, answered_once, busy, handlers, lines, outcomes
from tests.loop.test_subloop import REPORT


@settings(max_examples=60, deadline=None)
@given(
    script=st.lists(st.one_of(busy, lines), min_size=1, max_size=4),
    behaviour=outcomes,
    streamed=st.booleans(),
    parallel=st.sampled_from([1, 3]),
    watched=st.booleans(),
)
def test_cancelled_at_any_await_the_transcript_is_lawful(
    script: list[Any], behaviour: list[Any], streamed: bool, parallel: int, watched: bool
) -> None:
    def cut_at(at: int | None) -> tuple[Run, int]:
        scissors = Scissors(at)
        result = aplay(
            Model(script, streamed),
            scissors=scissors,
            handlers=handlers(behaviour),
            parallel=parallel,
            budget=Budget(steps=5),
            **({"cancelled": lambda: False} if watched else {}),
            on_stream=(lambda event: None) if streamed else None,
        )
        return result, scissors.awaits

    _, awaits = cut_at(None)
    for at in range(1, awaits + 1):
        result, _ = cut_at(at)
        answered_once(result.messages)
        resendable(result.messages)
        assert result.sentence()
        assert result.events[-1].exit == result.exit


def test_a_cancelled_task_stays_cancelled_and_finished_results_are_kept() -> None:
    two = says(call("toolu_1"), call("toolu_2", "weigh"), call("toolu_3", "sell"))
    ended: list[Run] = []

    async def main() -> None:
        reached = asyncio.Event()

        async def hangs(**given: Any) -> str:
            reached.set()
            await asyncio.Event().wait()
            return "never"

        client = AsyncFake(Fake(two), Scissors())
        given = HANDLERS | {"weigh": hangs}
        task = asyncio.ensure_future(arun(client, TASK, TOOLS, given, Policy(MODEL), on_end=ended.append))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(main())
    assert ended[0].exit == Interrupted("caller", "act")
    first, second, _ = results(ended[0].messages[-1])
    assert first["content"] == "12"
    assert "may have had an effect" in second["content"]
    resendable(ended[0].messages)


@pytest.mark.parametrize("coroutine", [True, False])
def test_the_caller_can_cancel_while_a_tool_hangs(coroutine: bool) -> None:
    gate, reached = threading.Event(), threading.Event()

    async def hangs(**given: Any) -> None:
        reached.set()
        await asyncio.Event().wait()

    def blocks(**given: Any) -> None:
        reached.set()
        gate.wait(60)

    client = AsyncFake(Fake(says(call("toolu_1"), call("toolu_2", "weigh"))), Scissors())
    given = HANDLERS | {"weigh": hangs if coroutine else blocks}
    result = asyncio.run(arun(client, TASK, TOOLS, given, Policy(MODEL, cancelled=reached.is_set)))
    gate.set()
    assert result.exit == Interrupted("caller", "act")
    assert results(result.messages[-1])[0]["content"] == "12"
    resendable(result.messages)


def test_a_timeout_around_it_is_a_timeout_of_its_own_kind() -> None:
    ended: list[Run] = []

    async def main() -> None:
        async def hangs(**given: Any) -> None:
            await asyncio.Event().wait()

        client = AsyncFake(Fake(says(call("toolu_1"))), Scissors())
        async with asyncio.timeout(0.01):
            await arun(client, TASK, TOOLS, HANDLERS | {"count": hangs}, Policy(MODEL), on_end=ended.append)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    resendable(ended[0].messages)


@pytest.mark.parametrize("at", [None, *range(1, 9)])
def test_a_sub_loop_is_awaited_and_what_it_spent_is_charged_even_where_it_is_cancelled(
    at: int | None,
) -> None:
    scissors = Scissors(at)
    inner = AsyncFake(Fake(says(call("toolu_c")), says(REPORT), says("Done.")), scissors)
    given = {name: awaited(each, scissors) for name, each in HANDLERS.items()}
    child = SubLoop(inner, TOOLS, given, Policy(MODEL))
    outer = AsyncFake(Fake(says(call("toolu_1", "helper", task="Count.")), DONE), Scissors())
    result = aplay(
        outer, scissors=scissors, tools=[*TOOLS, child.definition("helper")], handlers={"helper": child}
    )
    answered = sum(1 for body in (*inner.fake.sent, *outer.fake.sent) if body)
    assert answered - 1 <= result.spend.steps <= answered
    assert isinstance(result.exit, Finished if at is None else Interrupted)
    resendable(result.messages)
