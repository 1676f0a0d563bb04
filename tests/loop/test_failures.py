"""Transient: wait and send the same again. Fatal: out at once. Nothing happens twice."""

from typing import Any

import pytest

from simulator.loop import Budget, Fatal, Finished, OverBudget, Retry
from simulator.loop.failures import Hopeless, TooLong, Transient, classify, retry_after
from simulator.wire.stream import to_events
from tests.loop.made import DONE, ApiFailure, Clock, Fake, call, play, resendable, says


class APIConnectionError(Exception):
    """Named as the SDK's."""


OVERLOADED = ApiFailure(529, "overloaded_error", "Overloaded")


@pytest.mark.parametrize(
    "error",
    [
        *(ApiFailure(status) for status in (408, 409, 429, 500, 502, 503, 504, 529)),
        ApiFailure(200, "overloaded_error"),
        APIConnectionError("gone"),
        TimeoutError(),
        ConnectionResetError("reset"),
        ApiFailure(400, "invalid_request_error", x_should_retry="true"),
    ],
)
def test_a_transient_failure_is_waited_for_with_the_very_same_request(error: Exception) -> None:
    client, clock = Fake(error, error, DONE), Clock()
    assert play(client, clock=clock).finished
    assert client.sent[0] == client.sent[1] == client.sent[2]
    assert clock.slept == [0.5, 1.0]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_a_fatal_failure_ends_the_run_at_once(status: int) -> None:
    error = ApiFailure(status, "invalid_request_error", "no")
    client = Fake(error)
    assert play(client).exit == Fatal("api", "no", 1, error)
    assert len(client.sent) == 1


def test_retry_after_is_honoured() -> None:
    clock = Clock()
    play(Fake(ApiFailure(429, retry_after="7"), DONE), clock=clock)
    assert clock.slept == [7.0]


def test_a_retry_after_beyond_the_longest_wait_is_fatal() -> None:
    clock = Clock()
    result = play(Fake(ApiFailure(429, retry_after="171")), clock=clock)
    assert isinstance(result.exit, Fatal)
    assert clock.slept == []


def test_a_retry_after_may_be_a_date() -> None:
    assert retry_after("Mon, 30 Nov 2026 12:00:09 GMT", lambda: 1796040000.0) == 9.0
    assert retry_after("soon", lambda: 0.0) is None


def test_an_outage_ends_after_the_attempts_that_were_allowed_with_growing_waits() -> None:
    client, clock = Fake(OVERLOADED), Clock()
    result = play(client, clock=clock, retry=Retry(attempts=6))
    assert result.exit == Fatal("api", "Overloaded", 7, OVERLOADED)
    assert len(client.sent) == 7
    assert clock.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]


def test_a_success_makes_the_attempts_count_anew() -> None:
    script = [x for n in range(5) for x in (OVERLOADED, says(call(f"toolu_{n}", n=n)))]
    assert play(Fake(*script, DONE), retry=Retry(attempts=1)).finished


def test_failed_requests_are_counted_but_are_no_steps() -> None:
    result = play(Fake(OVERLOADED, DONE), budget=Budget(steps=1))
    assert result.exit == Finished("end_turn")
    assert (result.spend.steps, result.spend.requests) == (1, 2)


def test_a_wait_never_goes_beyond_the_time_that_is_left() -> None:
    clock = Clock()
    result = play(Fake(ApiFailure(429, retry_after="30")), clock=clock, budget=Budget(seconds=5))
    assert clock.slept == [5.0]
    assert result.exit == OverBudget("seconds", 5, 5.0)


def test_a_tool_does_not_run_again_when_the_request_after_it_fails() -> None:
    sold: list[Any] = []
    client = Fake(says(call("toolu_1", "sell")), OVERLOADED, OVERLOADED, DONE)
    play(client, handlers={"sell": lambda **given: sold.append(given)})
    assert len(sold) == 1


def test_the_model_never_hears_of_a_transient_failure() -> None:
    client = Fake(says(call("toolu_1")), OVERLOADED, DONE)
    assert "Overloaded" not in str(play(client).messages)


def test_an_answer_without_a_stop_reason_is_not_used_and_asked_for_again() -> None:
    ran: list[Any] = []
    client = Fake(says(call("toolu_1", "sell"), stop=None), DONE)
    assert play(client, handlers={"sell": lambda **given: ran.append(given)}).finished
    assert ran == []
    assert client.sent[0] == client.sent[1]


@pytest.mark.parametrize("kept", range(1, 8))
def test_a_stream_cut_anywhere_runs_nothing_and_is_taken_back(kept: int) -> None:
    ran: list[Any] = []
    seen: list[dict[str, Any]] = []
    events = to_events(says("I sell.", call("toolu_1", "sell", crates=3)), pings=False)
    assert len(events) > 8
    client = Fake({"events": events[:kept]}, {"events": to_events(DONE)})
    result = play(client, on_stream=seen.append, handlers={"sell": lambda **given: ran.append(given)})
    assert result.finished
    assert ran == []
    assert seen[kept] == {"type": "discarded"}
    assert result.messages[-1]["content"] == DONE["content"]


def test_a_stream_whose_tool_input_is_no_json_is_incomplete() -> None:
    events = to_events(says(call("toolu_1", "sell", crates=3)), pings=False)
    broken = [e for e in events if e["type"] != "content_block_delta"]
    broken.insert(2, {"type": "content_block_delta", "index": 0,
                      "delta": {"type": "input_json_delta", "partial_json": 'crates": 3}'}})  # fmt: skip
    client = Fake({"events": broken}, {"events": to_events(DONE)})
    assert play(client, on_stream=lambda event: None).finished


def test_a_conversation_that_is_too_long_is_a_kind_of_its_own() -> None:
    words = "prompt is too long: 200001 tokens > 200000 maximum"
    assert classify(ApiFailure(400, "invalid_request_error", words), lambda: 0.0) == TooLong(words)
    assert classify(ApiFailure(413, "request_too_large", "x"), lambda: 0.0) == TooLong("x")


def test_the_api_may_say_that_a_retry_makes_no_sense() -> None:
    assert classify(ApiFailure(500, x_should_retry="false"), lambda: 0.0) == Hopeless("failed")
    assert classify(ApiFailure(500), lambda: 0.0) == Transient("failed")


def test_a_fatal_failure_in_the_middle_leaves_a_lawful_transcript() -> None:
    result = play(Fake(says(call("toolu_1")), ApiFailure(401, "authentication_error")))
    assert isinstance(result.exit, Fatal)
    resendable(result.messages)


def test_waits_can_be_spread_by_whoever_runs_many_loops() -> None:
    clock = Clock()
    play(Fake(OVERLOADED, DONE), clock=clock, retry=Retry(spread=lambda seconds: seconds / 4))
    assert clock.slept == [0.125]
