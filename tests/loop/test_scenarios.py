"""The engine on the shipped scenarios, through the real SDK."""

import copy
from functools import lru_cache
from typing import Any

import pytest

import simulator
from simulator.loop import (
    BudgetExceeded,
    Fatal,
    Finished,
    Policy,
    Truncated,
    UnhandledStop,
    run,
    run_agent_loop,
)
from simulator.recording.scenario import Scenario
from simulator.trace.storage import to_bytes
from tests.recording import made

IDLE = dict.fromkeys(("list_dir", "read_file"), print)
"""Handlers for tools that are not called."""
scenario = lru_cache(simulator.scenario)  # reading a cassette takes longer than playing it

WHOLE = ("count_python_files", "list_then_read", "not_done_yet", "parallel_reads", "todo_list")
CUT = ("truncated_again", "truncated_call", "truncated_report")


def policy(session: Any, **how: Any) -> Policy:
    return Policy(session.model, session.max_tokens, session.system, **how)


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_conversation_is_played_to_its_end(name: str, seed: int | None) -> None:
    session = scenario(name).start(seed=seed)
    result = run(session.client, session.messages, session.tools, session.handlers, policy(session))
    assert result.exit == Finished("end_turn")
    assert result.spend.steps == session.replay.requests


@pytest.mark.parametrize("name", CUT)
def test_a_cut_answer_ends_as_truncated(name: str) -> None:
    session = scenario(name).start()
    result = run(session.client, session.messages, session.tools, session.handlers, policy(session))
    assert isinstance(result.exit, Truncated)


@pytest.mark.parametrize("name", ["truncated_call", "truncated_report"])
def test_a_cut_answer_is_asked_for_again_with_more_room_where_the_policy_says_so(name: str) -> None:
    session = scenario(name).start()
    how = policy(session, truncation_retries=3)
    result = run(session.client, session.messages, session.tools, session.handlers, how)
    assert result.finished


@pytest.mark.parametrize("name", WHOLE)
def test_streaming_gives_the_same_conversation(name: str) -> None:
    seen: list[dict[str, Any]] = []
    plain, streamed = (scenario(name).start() for _ in range(2))
    one = run(plain.client, plain.messages, plain.tools, plain.handlers, policy(plain))
    how = policy(streamed, on_stream=seen.append)
    other = run(streamed.client, streamed.messages, streamed.tools, streamed.handlers, how)
    assert other.messages == one.messages
    assert seen[0]["type"] == "message_start"
    assert seen[-1]["type"] == "message_stop"


def test_the_articles_signature_returns_the_final_response_of_the_sdk() -> None:
    session = scenario("list_then_read").start()
    before = copy.deepcopy(session.messages)
    response = run_agent_loop(session.client, session.messages, session.tools, session.handlers)
    assert response.stop_reason == "end_turn"
    assert session.messages == before


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_the_articles_budget_is_exact_and_typed(allowed: int) -> None:
    session = scenario("list_then_read").start()
    with pytest.raises(BudgetExceeded) as caught:
        run_agent_loop(session.client, session.messages, session.tools, session.handlers, allowed)
    assert caught.value.limit == allowed
    assert session.replay.requests == allowed


def test_the_articles_budget_allows_exactly_what_is_needed() -> None:
    session = scenario("list_then_read").start()
    response = run_agent_loop(session.client, session.messages, session.tools, session.handlers, 3)
    assert response.stop_reason == "end_turn"


def test_the_articles_unhandled_stop_names_the_signal_and_keeps_the_run() -> None:
    session = scenario("truncated_report").start()
    with pytest.raises(UnhandledStop) as caught:
        run_agent_loop(session.client, session.messages, session.tools, session.handlers, max_tokens=1024)
    assert caught.value.stop_reason == "max_tokens"
    assert caught.value.run.text


@pytest.mark.parametrize("name", [*WHOLE, *CUT])
def test_a_trace_of_the_engine_rebuilds_what_was_sent(name: str) -> None:
    trace = simulator.observe(run_agent_loop, name)
    trace.verify()
    assert trace.exit.reason == ("raised" if name in CUT else "returned")


def test_a_run_that_is_returned_gives_the_same_trace_twice() -> None:
    def loop(client: Any, messages: Any, tools: Any, handlers: Any) -> Any:
        return run(client, messages, tools, handlers, Policy("claude-sonnet-5-5"))

    one, other = (to_bytes(simulator.observe(loop, "todo_list").to_dict()) for _ in range(2))
    assert one == other


def test_a_stop_of_the_simulator_is_never_swallowed() -> None:
    session = scenario("list_then_read").start()
    messages = [{"role": "user", "content": "Something nobody recorded."}]
    with pytest.raises(simulator.OffScript):
        run(session.client, messages, session.tools, session.handlers, policy(session))


@pytest.mark.parametrize("streamed", [False, True])
def test_the_sdks_own_429_is_waited_for_as_long_as_it_says(streamed: bool) -> None:
    asked = made.request(made.TASK)
    recording = made.recording(
        made.failed(0, asked, 429, "rate_limit_error", "Slow down.", retry_after="3"),
        made.exchange(1, asked, made.DONE, streamed=streamed),
    )
    session, slept = Scenario.of(recording).start(), []
    how = policy(session, sleep=slept.append, on_stream=(lambda event: None) if streamed else None)
    assert run(session.client, session.messages, session.tools, IDLE, how).finished
    assert slept == [3.0]


def test_the_sdks_own_error_of_a_cut_stream_is_waited_for_and_nothing_of_it_is_kept() -> None:
    asked = made.request(made.TASK)
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}
    recording = made.recording(
        made.broken(0, asked, made.ASKED, error=overloaded),
        made.exchange(1, asked, made.DONE, streamed=True),
    )
    session = Scenario.of(recording).start()
    how = policy(session, sleep=lambda seconds: None, on_stream=lambda event: None)
    result = run(session.client, session.messages, session.tools, IDLE, how)
    assert result.finished
    assert len(result.messages) == 2


def test_the_sdks_own_authentication_error_ends_the_run_and_is_kept() -> None:
    asked = made.request(made.TASK)
    recording = made.recording(made.failed(0, asked, 401, "authentication_error", "invalid x-api-key"))
    session = Scenario.of(recording).start()
    result = run(session.client, session.messages, session.tools, IDLE, policy(session))
    assert isinstance(result.exit, Fatal)
    assert type(result.exit.error).__name__ == "AuthenticationError"
    assert session.replay.requests == 1


def test_the_sdks_own_retries_are_turned_off() -> None:
    asked: list[int] = []

    class Client:
        def with_options(self, *, max_retries: int) -> Any:
            asked.append(max_retries)
            return session.client

    session = scenario("count_python_files").start()
    run(Client(), session.messages, session.tools, session.handlers, policy(session))
    assert asked == [0]
