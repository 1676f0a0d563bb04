"""Family b: ids are echoed, whatever tool, input or order."""

import pytest

from simulator.gate.judgements import pairing
from tests.gate.judgements.small_loop import (
    a_turn_each,
    as_they_end,
    by_id,
    filed,
    judged,
    one_by_one,
    result,
    run_one,
    side_by_side,
)

RIGHT = [
    {},
    {"run": side_by_side},
    {"run": as_they_end},
    {"run": by_id},
    {"file": a_turn_each},
    {"run": lambda calls, handlers: [*reversed(one_by_one(calls, handlers))]},
]


@pytest.mark.parametrize("habits", RIGHT)
@pytest.mark.parametrize("scenario", ["count_python_files", "cold_rooms", "todo_list"])
def test_ids_are_right_in_whatever_order_results_come(scenario, habits):
    assert judged(pairing.names_only, scenario, **habits).outcome == "pass"
    assert judged(pairing.belongs_only, scenario, **habits).outcome == "pass"


@pytest.mark.parametrize("habits", RIGHT)
def test_two_equal_calls_get_a_result_each(habits):
    assert judged(pairing.equal_calls_are_two, "two_tickets", **habits).outcome == "pass"


def test_an_equal_call_that_is_told_and_not_run_is_no_copy():
    def not_again(calls, handlers):
        return [run_one(calls[0], handlers), result(calls[1], "You have just made this call.", is_error=True)]

    assert judged(pairing.equal_calls_are_two, "two_tickets", run=not_again).outcome == "pass"


def by_name_and_input(calls, handlers):
    ran = {str([call["name"], call["input"]]): run_one(call, handlers) for call in calls}
    return list(ran.values())


def once(calls, handlers):
    first = run_one(calls[0], handlers)
    return [{**first, "tool_use_id": call["id"]} for call in calls]


def all_under_each(calls, handlers):
    texts = "\n".join(run_one(call, handlers)["content"] for call in calls)
    return [result(call, texts) for call in calls]


@pytest.mark.parametrize(
    ("run", "finding"),
    [
        (by_name_and_input, "pairing.one_for_two"),
        (once, "pairing.copied"),
        (all_under_each, "pairing.copied"),
    ],
)
def test_equal_calls_that_are_taken_for_one_are_found(run, finding):
    assert judged(pairing.equal_calls_are_two, "two_tickets", run=run).finding == finding


def named(name):
    def run(calls, handlers):
        return [{**each, "tool_use_id": name(n, calls)} for n, each in enumerate(one_by_one(calls, handlers))]

    return run


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (lambda n, calls: calls[n]["name"], "pairing.unknown"),
        (lambda n, calls: calls[n]["id"].lower(), "pairing.unknown"),
        (lambda n, calls: f"toolu_{n}", "pairing.unknown"),
        (lambda n, calls: calls[-1]["id"], "pairing.twice"),
        (lambda n, calls: "", "pairing.missing"),
    ],
)
def test_ids_that_are_made_or_mixed_up_are_found(name, finding):
    assert judged(pairing.names_only, "cold_rooms", run=named(name)).finding == finding
    assert judged(pairing.belongs_only, "cold_rooms", run=named(name)).outcome == "unknown"


def test_results_under_each_others_ids_are_found_though_the_api_takes_them():
    verdict = judged(pairing.belongs_only, "cold_rooms", run=named(lambda n, calls: calls[~n]["id"]))
    assert verdict.finding == "pairing.crossed"


def test_a_kata_is_told_also_what_the_gate_leaves_to_other_probes():
    said = {"run": lambda calls, handlers: [{**r, "content": "ok"} for r in one_by_one(calls, handlers)]}
    made_up = {"run": lambda calls, handlers: [result(call, "ok") for call in calls]}
    no_results = {
        "file": lambda turns, content, results: turns.append({"role": "assistant", "content": content})
    }
    for habits, whole, piece, finding in (
        (said, pairing.belongs_to_its_call, pairing.belongs_only, "pairing.hollow"),
        (made_up, pairing.belongs_to_its_call, pairing.belongs_only, "pairing.not_run"),
        (no_results, pairing.names_its_call, pairing.names_only, "pairing.absent"),
    ):
        assert judged(whole, "cold_rooms", **habits).finding == finding
        assert judged(piece, "cold_rooms", **habits).outcome == "unknown"


def test_a_result_that_is_dropped_is_found_and_a_call_that_was_not_run_left_to_others():
    def dropped(calls, handlers):
        return one_by_one(calls, handlers)[:-1]

    def first_only(calls, handlers):
        return one_by_one(calls[:1], handlers)

    assert judged(pairing.names_only, "cold_rooms", run=dropped).finding == "pairing.unanswered"
    assert judged(pairing.names_only, "cold_rooms", run=first_only).outcome == "unknown"


def test_results_collected_over_all_rounds_are_left_to_history():
    kept = []

    def collected(turns, content, results):
        kept.extend(results)
        filed(turns, content, list(kept))

    assert judged(pairing.names_only, "todo_list", file=collected).outcome == "unknown"
