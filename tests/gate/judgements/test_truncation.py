"""Family c: the tests of kata 04 hold the forms of telling; here are calls, retries and false alarms."""

import pytest

from simulator.gate.judgements import truncation
from simulator.gate.judgements.truncation import (
    is_told,
    keeps_the_text,
    leaves_whole_answers_alone,
    never_runs_a_cut_call,
    stops_asking,
)
from tests.gate.judgements.deciding import End, Result, found, ordinary, text

CASES = {probe.judgement: probe.cases for probe in truncation.PROBES}
CUT_CALL, CUT_IN_ANY_CALL = CASES[never_runs_a_cut_call]


def each(judgement, decide, **more):
    return {found(judgement, case, decide, **more) for case in CASES[judgement]}


def at_the_cut(then):
    def decide(run, response):
        return then(run, response) if response.stop_reason == "max_tokens" else ordinary(run, response)

    return decide


class Truncated(Exception):  # noqa: N818  # as a stranger would name it
    def __init__(self, partial):
        super().__init__("the answer was cut off")
        self.partial = partial


def raises(run, response):
    raise Truncated(text(response))


def returns_a_status(run, response):
    return End(Result("truncated", text(response), run.history))


def asks_with_more_room(run, response):
    if run.count("cuts") > 2:
        return returns_a_status(run, response)
    return at_the_cut(asks_with_more_room)(run, run.ask(max_tokens=1024 * 2 ** run.kept["cuts"]))


def asks_for_the_rest(run, response):
    """Keeps the text without a call, and has the model go on."""
    kept = [block for block in response.content if block.type == "text"]
    run.kept["text"] = run.kept.get("text", "") + text(response)
    if run.count("cuts") > 3:
        return End({"text": run.kept["text"], "incomplete": True})
    run.history.append({"role": "assistant", "content": kept})
    return run.tell("You were cut off. Go on.")


def answers_the_cut_call(run, response):
    """Tells the model in the place of a result; a cut text is handed back with a notice."""
    if not run.calls(response) or run.count("cuts") > 3:
        return End(text(response) + "\n[cut off at max_tokens]")
    results = [
        {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": "Not run: your answer was cut off.",
            "is_error": True,
        }
        for call in run.calls(response)
    ]
    return run.act(response, results)


RIGHT = [raises, returns_a_status, asks_with_more_room, asks_for_the_rest, answers_the_cut_call]


@pytest.mark.parametrize("then", RIGHT)
def test_a_cut_is_survived_in_any_of_these_ways(then):
    for judgement in (is_told, never_runs_a_cut_call, stops_asking):
        assert each(judgement, at_the_cut(then)) == {"pass"}, judgement.__name__


@pytest.mark.parametrize("then", [raises, returns_a_status, asks_with_more_room, answers_the_cut_call])
def test_the_text_of_a_cut_answer_is_kept_in_any_of_these_ways(then):
    assert each(keeps_the_text, at_the_cut(then)) == {"pass"}


def test_after_an_exception_the_callers_own_list_counts_as_kept():
    def says_max_tokens(run, response):
        run.said(response)
        raise RuntimeError("max_tokens")

    assert each(keeps_the_text, at_the_cut(says_max_tokens), own=True) == {"pass"}
    assert each(keeps_the_text, at_the_cut(says_max_tokens)) == {"truncation.text_lost"}


def test_a_cut_call_that_satisfies_its_schema_is_not_run_either():
    def runs_what_is_complete(run, response):
        return run.act(response) if run.calls(response) else raises(run, response)

    assert found(never_runs_a_cut_call, CUT_CALL, at_the_cut(runs_what_is_complete)) == (
        "truncation.cut_call_ran"
    )


def test_a_loop_that_goes_by_blocks_runs_whatever_was_cut():
    def by_blocks(run, response):
        return run.act(response) if run.calls(response) else End(response)

    assert found(never_runs_a_cut_call, CUT_CALL, by_blocks) == "truncation.cut_call_ran"


@pytest.mark.parametrize("more", [8, 9, 20])
def test_cut_answers_are_paid_for_eight_times_at_most(more):
    def for_ever(run, response):
        if run.count("cuts") >= more:
            return returns_a_status(run, response)
        kept = [block for block in response.content if block.type == "text"]
        run.history.append({"role": "assistant", "content": kept})
        return run.tell("Go on.")

    case = CASES[stops_asking][0]
    expected = "pass" if more <= truncation.MOST else "truncation.kept_asking"
    assert found(stops_asking, case, at_the_cut(for_ever)) == expected


def test_cut_calls_that_are_answered_for_ever_are_found():
    def for_ever(run, response):
        run.kept.pop("cuts", None)
        return answers_the_cut_call(run, response)

    assert found(stops_asking, "cut_every_time", at_the_cut(for_ever)) == "truncation.kept_asking"


def test_a_call_that_was_cut_and_is_handed_back_without_a_word_is_found():
    def as_text(run, response):
        return End(text(response))

    assert found(is_told, "cancelled_too_far", at_the_cut(as_text)) == "truncation.call_untold"
    assert found(is_told, "truncated_again", at_the_cut(as_text)) == "truncation.taken_for_whole"


@pytest.mark.parametrize("word", ["complete", "not", "done"])
def test_a_whole_answer_that_speaks_of_incomplete_work_is_not_called_cut(word):
    def looks_at_words(run, response):
        ended = ordinary(run, response)
        return End({"text": text(response), "truncated": word in text(response).lower()}) if ended else None

    assert "truncation.false_alarm" in each(leaves_whole_answers_alone, looks_at_words)
    assert each(leaves_whole_answers_alone, ordinary) == {"pass"}
