"""Family f: loops notice a circle in many ways, and some of them stop what is none."""

import pytest

from simulator.gate.judgements import progress
from simulator.gate.judgements.progress import (
    begins_anew,
    lets_progress_alone,
    stops_alternation,
    stops_repetition,
    tells_the_model,
)
from simulator.gate.probe import Case
from tests.gate.judgements.deciding import BudgetExceeded, End, Result, found, key, ordinary, text

SAME = Case("same_search_again", progress.ROOM)
BACK_AND_FORTH = Case("back_and_forth", progress.ROOM)
GETS_ON = [case for probe in progress.PROBES if probe.id.endswith("alone") for case in probe.cases]
NOTE = "\n(You made this call before.)"


class StuckError(Exception):
    """No progress."""


# --- right ways ------------------------------------------------------------------------------------------


def counts_calls_with_their_results(run, response):
    if response.stop_reason != "tool_use":
        return ordinary(run, response)
    results = run.results(response)
    for call, result in zip(run.calls(response), results, strict=True):
        times = run.count(key(call) + str(result["content"]))
        if times == 2:
            result["content"] += NOTE
        if times == 3:
            raise StuckError(f"{call.name} made three times")
    return run.act(response, results)


def returns_a_status(run, response):
    try:
        return counts_calls_with_their_results(run, response)
    except StuckError:
        return End(Result("repeated_call", text(response), run.history))


def looks_at_the_last_six_results(run, response):
    """Nothing new in six results in a row is a circle, however many calls it is made of."""
    if response.stop_reason != "tool_use":
        return ordinary(run, response)
    results = run.results(response)
    seen = run.kept.setdefault("seen", set())
    said = {key(call) + str(r["content"]) for call, r in zip(run.calls(response), results, strict=True)}
    run.kept["dull"] = run.kept.get("dull", 0) + 1 if said <= seen else 0
    seen |= said
    if run.kept["dull"] >= 6:
        return End({"status": "stalled", "text": text(response)})
    run.act(response, results)
    if run.kept["dull"]:
        run.history[-1]["content"].append({"type": "text", "text": "That brought nothing new."})
    return None


def warns_in_the_system_prompt(run, response):
    if response.stop_reason != "tool_use":
        return ordinary(run, response)
    results = run.results(response)
    times = max(
        run.count(key(call) + str(r["content"])) for call, r in zip(run.calls(response), results, strict=True)
    )
    if times > 3:
        return End("stuck in a loop of the same call")
    run.act(response, results)
    if times > 1:
        again = run.ask(system="You are repeating yourself.")
        return warns_in_the_system_prompt(run, again)
    return None


def refuses_the_second_and_ends_at_the_third(run, response):
    """Compares results, too: a call is only refused while the world stands still."""
    if response.stop_reason != "tool_use":
        return ordinary(run, response)
    results = run.results(response)
    for call, result in zip(run.calls(response), results, strict=True):
        times = run.count(key(call) + str(result["content"]))
        if times > 2:
            return End({"ended": "no progress", "call": call.name})
        if times == 2:
            result |= {"content": "Refused: the same call with the same outcome.", "is_error": True}
    return run.act(response, results)


RIGHT = [
    counts_calls_with_their_results,
    returns_a_status,
    looks_at_the_last_six_results,
    warns_in_the_system_prompt,
    refuses_the_second_and_ends_at_the_third,
]


@pytest.mark.parametrize("decide", RIGHT)
def test_a_loop_that_notices_a_circle_passes_in_whatever_way_it_does(decide):
    assert found(stops_repetition, SAME, decide) == "pass"
    assert found(stops_alternation, BACK_AND_FORTH, decide) == "pass"
    assert found(tells_the_model, SAME, decide) == "pass"


@pytest.mark.parametrize("decide", RIGHT)
@pytest.mark.parametrize("case", GETS_ON, ids=lambda case: case.scenario)
def test_it_leaves_a_run_alone_that_gets_somewhere(decide, case):
    assert found(lets_progress_alone, case, decide) == "pass"


def test_an_end_at_the_second_call_owes_the_model_nothing():
    def ends_at_once(run, response):
        if any(run.count(key(call)) > 1 for call in run.calls(response)):
            raise StuckError("the same call twice")
        return ordinary(run, response)

    assert found(stops_repetition, SAME, ends_at_once) == "pass"
    assert found(tells_the_model, SAME, ends_at_once) == "pass"


# --- wrong ways ------------------------------------------------------------------------------------------


def keys_in_the_order_they_came(run, response):
    """Takes a call with its keys in another order for another call: half as fast, and fast enough."""
    for call in run.calls(response):
        if run.count(str(call.input)) > 3:
            raise StuckError("the same call again")
    return ordinary(run, response)


def test_a_loop_without_any_account_of_its_calls_goes_on():
    assert found(stops_repetition, SAME) == "progress.went_on"
    assert found(stops_alternation, BACK_AND_FORTH) == "progress.went_on"
    assert found(tells_the_model, SAME) == "progress.untold"


def test_patience_up_to_ten_requests_is_allowed():
    assert found(stops_repetition, SAME, keys_in_the_order_they_came) == "pass"
    assert found(tells_the_model, SAME, keys_in_the_order_they_came) == "progress.untold"


def test_who_only_remembers_the_last_call_misses_two_in_turn():
    def looks_one_back(run, response):
        keys = [key(call) for call in run.calls(response)]
        if keys and keys == run.kept.get("before") and run.count("again") > 1:
            raise StuckError("again")
        run.kept["before"] = keys
        return ordinary(run, response)

    assert found(stops_repetition, SAME, looks_one_back) == "pass"
    assert found(stops_alternation, BACK_AND_FORTH, looks_one_back) == "progress.went_on"


@pytest.mark.parametrize("value", [None, "", "stopped", {"status": "ended", "steps": 3}])
def test_an_end_that_nobody_can_understand_is_found(value):
    def ends_silently(run, response):
        if any(run.count(key(call)) > 2 for call in run.calls(response)):
            return End(value)
        return ordinary(run, response)

    assert found(stops_repetition, SAME, ends_silently) == "progress.unsaid"


def test_who_counts_calls_alone_stops_a_poll_and_a_test_after_a_change():
    def counts_calls(run, response):
        if any(run.count(key(call)) > 2 for call in run.calls(response)):
            raise StuckError("the same call three times")
        return ordinary(run, response)

    scenarios = {case.scenario: found(lets_progress_alone, case, counts_calls) for case in GETS_ON}
    assert scenarios == {
        "kiln_warms_up": "progress.false_alarm",
        "letters_in_the_cellar": "pass",
        "page_after_page": "pass",
        "tested_changed_tested": "progress.false_alarm",
    }


def test_who_counts_names_alone_stops_page_after_page():
    def counts_names(run, response):
        if any(run.count(call.name) > 4 for call in run.calls(response)):
            raise StuckError("duplicate call")
        return ordinary(run, response)

    case = next(case for case in GETS_ON if case.scenario == "page_after_page")
    assert found(lets_progress_alone, case, counts_names) == "progress.false_alarm"


def test_who_answers_a_poll_from_memory_withholds_its_result():
    def remembers(run, response):
        if response.stop_reason != "tool_use":
            return ordinary(run, response)
        call = run.calls(response)[0]
        if key(call) not in run.kept:
            run.kept[key(call)] = run.results(response)[0]["content"]
        return run.act(
            response,
            [{"type": "tool_result", "tool_use_id": call.id, "content": run.kept[key(call)]}],
        )

    assert found(lets_progress_alone, GETS_ON[0], remembers) == "progress.withheld"


def test_a_constant_in_the_loop_that_ends_it_first_leaves_nothing_to_judge():
    def gives_up_after_five(run, response):
        if run.requests > 5:
            raise BudgetExceeded("max 5 steps")
        return ordinary(run, response)

    assert found(stops_repetition, SAME, gives_up_after_five) == "progress.limit_first"
    assert found(lets_progress_alone, GETS_ON[0], gives_up_after_five) == "progress.limit_first"


@pytest.mark.parametrize("decide", RIGHT)
def test_a_new_word_of_the_user_is_a_new_beginning(decide):
    assert found(begins_anew, Case("asked_once_more", progress.ROOM), decide) == "pass"


def test_who_counts_the_calls_of_the_whole_conversation_holds_old_ones_against_a_new_run():
    def counts_all(run, response):
        told = ordinary(run, response)
        asked = [str(turn["content"]).count("look_up") for turn in run.history if turn["role"] == "assistant"]
        if sum(asked) > 3 and told is None:
            raise StuckError("the same call again")
        return told

    assert found(begins_anew, "asked_once_more", counts_all) == "progress.old_news"


def test_a_crash_says_nothing_of_progress():
    def crashes(run, response):
        return {}["repeat"]

    assert found(stops_repetition, SAME, crashes) == "unknown"
    assert found(lets_progress_alone, GETS_ON[0], crashes) == "unknown"
