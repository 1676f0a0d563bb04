"""Family d: several calls of one answer, run in whatever way, answered together."""

import pytest

from simulator.gate.judgements import parallel
from tests.gate.judgements.small_loop import (
    a_turn_each,
    as_they_end,
    by_id,
    failing,
    judged,
    one_by_one,
    result,
    run_one,
    side_by_side,
    told,
)

RUNS = [
    one_by_one,
    side_by_side,
    as_they_end,
    by_id,
    lambda calls, handlers: one_by_one(calls[::-1], handlers),
]
ALL_GOOD = (parallel.runs_every_call, parallel.answers_in_one_turn, parallel.keeps_the_answer_whole)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("judgement", ALL_GOOD)
@pytest.mark.parametrize("scenario", ["cold_rooms", "todo_list"])
def test_how_the_calls_are_run_is_the_loops_own(scenario, judgement, run):
    assert judged(judgement, scenario, run=run).outcome == "pass"


@pytest.mark.parametrize("run", RUNS)
def test_a_failure_in_the_middle_stays_alone(run):
    assert judged(parallel.one_failure_stays_alone, "silent_station", run=run).outcome == "pass"


def test_a_failed_call_that_is_tried_again_was_not_asked_for_too_often():
    def twice(calls, handlers):
        one_by_one(calls, handlers)
        return one_by_one(calls, handlers)

    def again_where_it_failed(calls, handlers):
        first = one_by_one(calls, handlers)
        return [
            run_one(call, handlers) if "is_error" in each else each
            for call, each in zip(calls, first, strict=True)
        ]

    assert judged(parallel.runs_every_call, "silent_station", run=again_where_it_failed).outcome == "pass"
    assert judged(parallel.runs_every_call, "silent_station", run=twice).finding == "parallel.ran_again"


def first_only(calls, handlers):
    return one_by_one(calls[:1], handlers)


def one_at_a_time(calls, handlers):
    later = [result(call, "One call at a time, please.", is_error=True) for call in calls[1:]]
    return [*one_by_one(calls[:1], handlers), *later]


@pytest.mark.parametrize("run", [first_only, one_at_a_time])
def test_a_call_that_is_not_run_is_found_whatever_the_model_is_told(run):
    verdict = judged(parallel.runs_every_call, "cold_rooms", run=run)
    assert (verdict.finding, verdict.facts["count"], verdict.facts["of"]) == ("parallel.lost", 1, 3)


def test_a_message_for_each_result_is_found_though_the_api_joins_them():
    verdict = judged(parallel.answers_in_one_turn, "cold_rooms", file=a_turn_each)
    assert (verdict.finding, verdict.facts["messages"]) == ("parallel.split", 3)


def divided(turns, content, results):
    calls = [block for block in content if block["type"] == "tool_use"]
    for call, each in zip(calls, results, strict=True):
        turns.append({"role": "assistant", "content": [call]})
        turns.append({"role": "user", "content": [each]})


def once_for_each_call(turns, content, results):
    turns.extend({"role": "assistant", "content": content} for _ in results)
    turns.append({"role": "user", "content": results})


@pytest.mark.parametrize(
    ("file", "finding"), [(divided, "parallel.divided"), (once_for_each_call, "parallel.doubled")]
)
def test_an_answer_that_is_taken_apart_or_repeated_is_found(file, finding):
    assert judged(parallel.keeps_the_answer_whole, "cold_rooms", file=file).finding == finding
    assert judged(parallel.answers_in_one_turn, "cold_rooms", file=file).outcome != "fail"


def all_or_nothing(calls, handlers):
    results = one_by_one(calls, handlers)
    failed = next((each for each in results if "is_error" in each), None)
    return [{**failed, "tool_use_id": call["id"]} for call in calls] if failed else results


def up_to_the_first_failure(calls, handlers):
    results = []
    for call in calls:
        skipped = results and "is_error" in results[-1]
        results.append(result(call, "Skipped.", is_error=True) if skipped else run_one(call, handlers))
    return results


def the_good_ones(calls, handlers):
    return [each for each in one_by_one(calls, handlers) if "is_error" not in each]


def the_failure_only(calls, handlers):
    results = one_by_one(calls, handlers)
    failed = [each for each in results if "is_error" in each]
    return failed or results


@pytest.mark.parametrize(
    ("run", "finding"),
    [
        (the_failure_only, "parallel.sibling_unanswered"),
        (all_or_nothing, "parallel.sibling_lost"),
        (up_to_the_first_failure, "parallel.sibling_not_run"),
        (the_good_ones, "parallel.failure_unanswered"),
    ],
)
def test_a_failure_that_takes_others_with_it_is_found(run, finding):
    assert judged(parallel.one_failure_stays_alone, "silent_station", run=run).finding == finding


def test_a_failure_in_the_loops_own_words_takes_nothing_with_it():
    short = failing(lambda call, error: result(call, "nope", is_error=True))
    unflagged = failing(lambda call, error: result(call, f"Error: {error}"))
    for run in (short, unflagged, failing(told)):
        assert judged(parallel.one_failure_stays_alone, "silent_station", run=run).outcome == "pass"


def test_a_loop_that_hands_the_exception_on_is_not_judged_on_the_rest_of_the_turn():
    def aloud(calls, handlers):
        return [result(call, handlers[call["name"]](**call["input"])) for call in calls]

    verdict = judged(parallel.one_failure_stays_alone, "silent_station", run=aloud)
    assert (verdict.outcome, verdict.finding) == ("not_applicable", "parallel.propagates")
