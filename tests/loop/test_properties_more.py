"""Budgets of every kind, sub-loops, cuts and streams: whatever is generated, the promises hold."""

from decimal import Decimal
from functools import lru_cache
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import simulator
from simulator.loop import Budget, OverBudget, Policy, Rates, Run, SubLoop, run_agent_loop
from simulator.loop.compaction import cuts, view
from simulator.loop.exits import Exit
from simulator.trace.events import SIGNALS
from simulator.wire.stream import Assembler
from tests.loop.made import MODEL, TOOLS, Clock, followed, play, resendable
from tests.loop.test_properties import (
    Model,
    answered_once,
    asked,
    busy,
    handlers,
    lines,
    outcomes,
)

scenario = lru_cache(simulator.scenario)

PER_TOKEN = Rates(*[Decimal(1_000_000)] * 5)
"""One dollar for each token."""
COST = 15
"""Tokens of each answer that ``made.says`` makes."""


def steps_of(wanted: list[Any]) -> Model:
    """A model that makes these calls, one list a step, and is done."""
    return Model([("answer", "tool_use", "", each, False) for each in wanted], streamed=False)


@settings(max_examples=60)
@given(wanted=st.lists(asked.filter(bool), max_size=6), extra=st.integers(0, 3), off=st.integers(-1, 1))
def test_tokens_and_money_are_exact_at_0_1_2_and_n(wanted: list[Any], extra: int, off: int) -> None:
    needed = len(wanted) + 1
    for answers in {0, 1, 2, needed - 1, needed, needed + extra}:
        amount = max(0, answers * COST + off)
        whole = -(-amount // COST)  # the answer that reaches a limit is still taken
        for budget in (Budget(tokens=amount), Budget(money=Decimal(amount))):
            client = steps_of(wanted)
            result = play(client, budget=budget, rates=PER_TOKEN, patience=None)
            assert len(client.sent) == min(whole, needed)
            assert result.finished == (whole >= needed)
            assert result.spend.money == result.spend.tokens == COST * len(client.sent)


class Slow(Model):
    """Takes a second for each answer."""

    def __init__(self, script: list[Any], clock: Clock) -> None:
        super().__init__(script, streamed=False)
        self.clock = clock

    def create(self, **body: Any) -> Any:
        self.clock.now += 1
        return super().create(**body)


@settings(max_examples=60)
@given(wanted=st.lists(asked.filter(bool), max_size=6), extra=st.integers(0, 3))
def test_seconds_are_exact_by_the_injected_clock(wanted: list[Any], extra: int) -> None:
    needed = len(wanted) + 1
    for seconds in {0, 1, 2, needed - 1, needed, needed + extra}:
        clock = Clock()
        client = Slow([("answer", "tool_use", "", each, False) for each in wanted], clock)
        result = play(client, clock=clock, budget=Budget(seconds=seconds), patience=None)
        assert len(client.sent) == min(seconds, needed)
        assert result.finished == (seconds >= needed)


HELP = ("answer", "tool_use", "", [("helper", {"task": "Count the crates."})], False)
helped = st.lists(st.one_of(busy, st.just(HELP)), max_size=5)


@settings(max_examples=150)
@given(
    above=helped,
    below=st.lists(lines, max_size=8),
    behaviour=outcomes,
    steps=st.one_of(st.sampled_from([0, 1, 2]), st.integers(3, 12)),
    own=st.sampled_from([None, 0, 1, 3]),
    parallel=st.sampled_from([1, 3]),
)
def test_a_loop_and_its_sub_loops_share_one_budget_and_both_are_lawful(
    above: list[Any], below: list[Any], behaviour: list[Any], steps: int, own: int | None, parallel: int
) -> None:
    runs: list[Run] = []
    outer, inner = Model(above, streamed=False), Model(below, streamed=False)
    clock = Clock()
    policy = Policy(MODEL, budget=Budget(steps=own), clock=clock, sleep=clock.sleep)
    child = SubLoop(inner, TOOLS, handlers(behaviour), policy, on_run=runs.append)
    result = play(
        outer,
        tools=[*TOOLS, child.definition("helper")],
        handlers=handlers(behaviour) | {"helper": child},
        budget=Budget(steps=steps),
        parallel=parallel,
        clock=clock,
    )
    assert isinstance(result.exit, get_args(Exit))
    assert result.spend.steps <= steps
    if isinstance(result.exit, OverBudget):
        assert result.spend.steps == steps
    for each in (result, *runs):
        answered_once(each.messages)
        resendable(each.messages)
        assert each.sentence()
        assert own is None or each is result or each.spend.steps <= own
    alone = sum(event.step == "answered" for event in result.events)
    assert result.spend.steps == alone + sum(each.spend.steps for each in runs)
    assert result.spend.tokens == result.spend.steps * COST


@settings(max_examples=100)
@given(script=st.lists(st.one_of(busy, lines), max_size=8), behaviour=outcomes)
@example(  # interrupted while a turn is paused
    script=[
        ("answer", "tool_use", "", [("count", {})], False),
        ("answer", "pause_turn", "", [], False),
        ("interrupt",),
    ],
    behaviour=["12"],
)
def test_every_place_where_a_conversation_may_be_cut_gives_a_lawful_request(
    script: list[Any], behaviour: list[Any]
) -> None:
    result = play(Model(script, streamed=False), handlers=handlers(behaviour), patience=None)
    messages = result.messages
    if messages[-1]["role"] == "assistant":
        messages = followed(messages)
    for cut in cuts(messages, 1):
        for pinned in ((), ("A fact.", " ")):
            sent = view(messages, 1, cut, "What was found.", pinned)
            body = {"model": MODEL, "max_tokens": 10, "messages": sent, "tools": TOOLS}
            refusal = simulator.check_request(body)
            assert refusal is None, refusal.message
            answered_once(sent)


@settings(max_examples=100)
@given(script=st.lists(st.one_of(busy, lines), max_size=8), behaviour=outcomes)
@example(script=[("cut", 7, [])], behaviour=["12"])  # whole, but for its stop_reason
def test_what_a_stream_showed_and_did_not_take_back_is_what_the_run_kept(
    script: list[Any], behaviour: list[Any]
) -> None:
    shown: list[list[dict[str, Any]]] = []

    def show(event: dict[str, Any]) -> None:
        if event["type"] == "discarded":
            shown.pop()
        elif event["type"] == "message_start" or not shown:
            shown.append([event])
        else:
            shown[-1].append(event)

    result = play(Model(script, streamed=True), handlers=handlers(behaviour), on_stream=show)
    seen = []
    for events in shown:
        assembler = Assembler()
        for event in events:
            assembler.feed(event)
        message = assembler.message
        assert message is not None
        assert assembler.complete
        seen += [block for block in message["content"] if block.get("text", "x").strip()]
    kept = [block for turn in result.messages if turn["role"] == "assistant" for block in turn["content"]]
    assert seen == kept


@pytest.mark.parametrize("signal", [*SIGNALS, "signal_of_tomorrow"])
@pytest.mark.parametrize("name", ["parallel_reads", "todo_list"])
def test_an_answer_that_ends_by_another_signal_is_never_followed_by_an_unlawful_request(
    name: str, signal: str
) -> None:
    played = scenario(name)
    for turn in range(1, len(simulator.observe(run_agent_loop, played, lines=False).requests) + 1):
        trace = simulator.observe(run_agent_loop, played, what_if={turn: signal}, lines=False)
        trace.verify()
        assert trace.exit.reason in ("returned", "raised"), trace.exit
        assert trace.exit.error_type in (None, "UnhandledStop", "LoopStopped"), trace.exit
        assert not [step for step in trace.steps if getattr(step.event, "status", 200) == 400]
