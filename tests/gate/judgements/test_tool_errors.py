"""Family i: a failure is told or raised, never swallowed."""

import traceback

import pytest

from simulator.gate.judgements import tool_errors
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.small_loop import (
    MODEL,
    failing,
    judged,
    one_by_one,
    result,
    run_one,
    told,
)


def aloud(calls, handlers):
    return [result(call, handlers[call["name"]](**call["input"])) for call in calls]


class ToolBrokeError(Exception):
    """A loop's own exception."""


def wrapped(calls, handlers):
    try:
        return aloud(calls, handlers)
    except Exception as error:
        raise ToolBrokeError(f"a tool broke: {error}") from error


RIGHT_WORDS = [
    told,
    lambda call, error: result(call, str(error), is_error=True),
    lambda call, error: result(call, repr(error), is_error=True),
    lambda call, error: result(call, [{"type": "text", "text": f"Error! {error}"}], is_error=True),
    lambda call, error: result(call, f"No luck: {str(error)[:40]}", is_error=True),
]


@pytest.mark.parametrize("failed", RIGHT_WORDS)
@pytest.mark.parametrize("scenario", ["silent_station", "parallel_reads"])
def test_a_failure_is_told_in_whatever_words(scenario, failed):
    assert judged(tool_errors.a_failure_is_told, scenario, run=failing(failed)).outcome == "pass"


@pytest.mark.parametrize("run", [aloud, wrapped])
def test_a_failure_may_also_stop_the_run_aloud(run):
    assert judged(tool_errors.a_failure_is_told, "silent_station", run=run).outcome == "pass"


def test_a_failure_may_be_a_value_that_says_so():
    def run_agent_loop(client, messages, tools, handlers):
        response = client.messages.create(**MODEL, tools=tools, messages=messages)
        calls = [block.to_dict() for block in response.content if block.type == "tool_use"]
        try:
            aloud(calls, handlers)
        except Exception as error:
            return {"status": "tool_failed", "reason": str(error)}
        return response

    assert tool_errors.a_failure_is_told(perform(run_agent_loop, Case("silent_station"), 1)).outcome == "pass"


def broken_off(calls, handlers):
    results = one_by_one(calls, handlers)
    return None if any("is_error" in each for each in results) else results


def left_out(calls, handlers):
    return [each for each in one_by_one(calls, handlers) if "is_error" not in each]


@pytest.mark.parametrize(
    ("run", "finding"),
    [
        (broken_off, "hushed"),
        (left_out, "left_out"),
        (failing(lambda call, error: result(call, "")), "silent"),
        (failing(lambda call, error: result(call, "nothing to report")), "silent"),
        (failing(lambda call, error: result(call, f"Error: {error}")), "unflagged"),
        (failing(lambda call, error: result(call, "Error")), "unflagged"),
        (failing(lambda call, error: result(call, "Error", is_error=True)), "no_reason"),
        (failing(lambda call, error: result(call, f"{call['name']} failed", is_error=True)), "no_reason"),
    ],
)
def test_a_failure_that_is_swallowed_or_half_told_is_found(run, finding):
    assert (
        judged(tool_errors.a_failure_is_told, "silent_station", run=run).finding == f"tool_errors.{finding}"
    )


def with_the_traceback(call, error):
    return result(call, "".join(traceback.format_exception(error)), is_error=True)


@pytest.mark.parametrize("failed", RIGHT_WORDS)
def test_an_exceptions_text_is_no_traceback(failed):
    assert judged(tool_errors.tells_no_traceback, "silent_station", run=failing(failed)).outcome == "pass"


def test_a_traceback_is_found():
    verdict = judged(tool_errors.tells_no_traceback, "silent_station", run=failing(with_the_traceback))
    assert verdict.finding == "tool_errors.traceback"


@pytest.mark.parametrize(
    "failed",
    [
        lambda call, error: result(call, f"{type(error).__name__} in {call['name']}", is_error=True),
        lambda call, error: result(call, str(error).split("api_key=")[0] + "(a key)", is_error=True),
        lambda call, error: result(call, str(error)[:16], is_error=True),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_key_that_is_cut_or_blotted_out_is_kept(seed, failed):
    assert judged(tool_errors.keeps_secrets, "rejected_key", seed, run=failing(failed)).outcome == "pass"


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("failed", [told, with_the_traceback])
def test_a_key_that_goes_to_the_model_is_found_and_not_shown_again(seed, failed):
    verdict = judged(tool_errors.keeps_secrets, "rejected_key", seed, run=failing(failed))
    assert verdict.finding == "tool_errors.secret"
    assert len(str(verdict.facts["shown"])) < 12


def unknown(answer):
    def run(calls, handlers):
        return [run_one(c, handlers) if c["name"] in handlers else answer(c, handlers) for c in calls]

    return run


@pytest.mark.parametrize(
    "answer",
    [
        lambda call, handlers: result(call, f"Unknown tool, try {sorted(handlers)}", is_error=True),
        lambda call, handlers: result(call, "Did you mean print_reminder?", is_error=True),
        lambda call, handlers: handlers[call["name"]],
    ],
)
def test_an_unknown_tool_is_answered_with_names_or_stops_the_run(answer):
    assert judged(tool_errors.answers_an_unknown_tool, "no_such_tool", run=unknown(answer)).outcome == "pass"


@pytest.mark.parametrize(
    ("run", "finding"),
    [
        (unknown(lambda call, handlers: result(call, "")), "unknown_unflagged"),
        (unknown(lambda call, handlers: result(call, "No such tool", is_error=True)), "unknown_unnamed"),
        (unknown(lambda call, handlers: result(call, "'send_letter'", is_error=True)), "unknown_unnamed"),
        (
            lambda calls, handlers: [run_one(c, handlers) for c in calls if c["name"] in handlers],
            "unknown_left_out",
        ),
        (
            lambda calls, handlers: one_by_one(calls, handlers) if calls[0]["name"] in handlers else None,
            "unknown_hushed",
        ),
    ],
)
def test_an_unknown_tool_that_is_passed_over_is_found(run, finding):
    verdict = judged(tool_errors.answers_an_unknown_tool, "no_such_tool", run=run)
    assert verdict.finding == f"tool_errors.{finding}"


@pytest.mark.parametrize(
    "failed",
    [
        told,
        lambda call, error: result(
            call, f"{error}: could not open {call['input'].get('show')}", is_error=True
        ),
        lambda call, error: result(call, f"{error}. Look at list_shows first.", is_error=True),
        lambda call, error: result(call, f"{call['name']}: {error}", is_error=True),
    ],
)
def test_an_error_that_names_something_teaches_and_needs_fewer_requests(failed):
    assert judged(tool_errors.an_error_teaches, "terse_error", run=failing(failed)).outcome == "pass"


@pytest.mark.parametrize(
    "failed",
    [
        lambda call, error: result(call, str(error), is_error=True),
        lambda call, error: result(call, f"Error: {error}", is_error=True),
        lambda call, error: result(call, repr(error), is_error=True),
        lambda call, error: result(call, f"The tool call failed with the error {error}", is_error=True),
    ],
)
def test_an_error_that_names_nothing_is_terse(failed):
    verdict = judged(tool_errors.an_error_teaches, "terse_error", run=failing(failed))
    assert (verdict.finding, verdict.facts["requests"]) == ("tool_errors.terse", 6)


def test_a_loop_that_hands_the_exception_on_has_no_one_to_teach():
    verdict = judged(tool_errors.an_error_teaches, "terse_error", run=aloud)
    assert (verdict.outcome, verdict.finding) == ("not_applicable", "tool_errors.propagates")
