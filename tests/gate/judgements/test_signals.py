"""Family h: what five kinds of loop do at each signal, and what they should not."""

import pytest

from simulator.gate.judgements import signals
from simulator.gate.judgements.signals import (
    answers_an_empty_end,
    bounds_the_pauses,
    ends_at_a_stop_sequence,
    names_an_unknown_signal,
    reports_a_full_context,
    reports_a_refusal,
    survives_tool_use_without_a_call,
    takes_up_a_paused_turn,
)
from simulator.gate.probe import Case
from tests.gate.judgements.deciding import BudgetExceeded, End, Result, found, ordinary, text

CASES = {probe.judgement: probe.cases for probe in signals.PROBES}


def each(judgement, decide, **more):
    """Return what is found in each case of the probe."""
    return {found(judgement, case, decide, **more) for case in CASES[judgement]}


def only(judgement, decide, **more):
    (one,) = each(judgement, decide, **more)
    return one


def at(signal, then):
    """Return a decision that does *then* at *signal* and else what is ordinary."""

    def decide(run, response):
        return then(run, response) if response.stop_reason == signal else ordinary(run, response)

    return decide


def falls_through(run, response):
    """Everything but a call is an end: the loop of many tutorials."""
    return ordinary(run, response) if response.stop_reason == "tool_use" else End(response)


def falls_through_as_text(run, response):
    ended = falls_through(run, response)
    return End(text(response)) if ended else None


# --- pause_turn ------------------------------------------------------------------------------------------


def takes_up(run, response):
    if run.count("pauses") > 5:
        return End(Result("paused too often", text(response), run.history))
    return run.said(response)


def test_a_paused_turn_is_taken_up_as_it_came():
    assert only(takes_up_a_paused_turn, at("pause_turn", takes_up)) == "pass"
    assert only(bounds_the_pauses, at("pause_turn", takes_up)) == "pass"


def test_to_count_pauses_as_steps_is_a_bound():
    def for_ever(run, response):
        return run.said(response)

    assert only(bounds_the_pauses, at("pause_turn", for_ever)) == "pass"
    unbounded = Case("search_that_pauses", {"steps?": 1000})
    assert found(bounds_the_pauses, unbounded, at("pause_turn", for_ever)) == "signals.paused_for_ever"


def test_a_loop_that_knows_no_pauses_and_says_so_is_not_judged_by_them():
    assert only(takes_up_a_paused_turn, ordinary) == "signals.no_pauses"
    assert only(bounds_the_pauses, ordinary) == "pass"
    status = at("pause_turn", lambda run, response: End({"status": "paused", "text": text(response)}))
    assert only(takes_up_a_paused_turn, status) == "signals.no_pauses"


@pytest.mark.parametrize("decide", [falls_through, falls_through_as_text])
def test_a_pause_that_is_handed_back_like_an_answer_is_found(decide):
    assert only(takes_up_a_paused_turn, decide) == "signals.pause_taken_for_the_end"


def test_a_loop_that_gives_up_after_some_pauses_has_to_say_so():
    def gives_up(run, response):
        return End(response) if run.count("pauses") > 3 else run.said(response)

    assert only(bounds_the_pauses, at("pause_turn", gives_up)) == "signals.paused_end_unsaid"


def keeps_the_text(run, response):
    run.history.append({"role": "assistant", "content": [response.content[0]]})


def asks_again(run, response):
    return None


def tells_to_go_on(run, response):
    run.said(response)
    run.tell("Continue.")


def asks_without_tools(run, response):
    run.said(response)
    run.tools = run.tools[1:]


def crashes_in_plain_words(run, response):
    raise RuntimeError("something odd happened")


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (keeps_the_text, "signals.pause_altered"),
        (asks_again, "signals.pause_lost"),
        (tells_to_go_on, "signals.pause_with_words"),
        (asks_without_tools, "signals.pause_without_tools"),
        (crashes_in_plain_words, "signals.pause_unnamed"),
    ],
)
def test_a_paused_turn_that_comes_back_changed_is_found(then, finding):
    assert only(takes_up_a_paused_turn, at("pause_turn", then)) == finding


# --- refusal and a full window ---------------------------------------------------------------------------


def tries_another_model(run, response):
    if run.count("tries") > 1:
        return End({"status": "refused"})
    return decide_again(run, run.ask(model="claude-opus-4-1"))


def decide_again(run, response):
    return at("refusal", tries_another_model)(run, response)


def drops_and_asks_once(run, response):
    if run.count("tries") > 1:
        raise RuntimeError("the model refused twice")
    return run.tell("Please answer within your rules.")


@pytest.mark.parametrize(
    "decide",
    [
        ordinary,
        falls_through,
        at("refusal", lambda run, response: End(Result("declined", text(response)))),
        at("refusal", lambda run, response: End("El modelo rechazó la petición.")),
        at("refusal", tries_another_model),
        at("refusal", drops_and_asks_once),
    ],
)
def test_a_refusal_is_told_in_any_of_these_forms(decide):
    assert each(reports_a_refusal, decide) == {"pass"}


def presses(run, response):
    run.tell("Please do it all the same.")


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (asks_again, "signals.refusal_resent"),
        (presses, "signals.refusal_pressed"),
        (lambda run, response: End(text(response)), "signals.refusal_as_answer"),
        (lambda run, response: End({"status": "done", "text": text(response)}), "signals.refusal_as_answer"),
        (crashes_in_plain_words, "signals.refusal_unnamed"),
    ],
)
def test_a_refusal_that_is_asked_again_or_kept_quiet_is_found(then, finding):
    assert found(reports_a_refusal, "refused_letter", at("refusal", then)) == finding


FULL = "model_context_window_exceeded"


def makes_it_smaller(run, response):
    if run.count("tries") > 1:
        raise BudgetExceeded("the context does not fit")
    run.history[:] = run.history[:1]


@pytest.mark.parametrize(
    "decide",
    [
        ordinary,
        falls_through,
        at(FULL, lambda run, response: End({"text": text(response), "complete": False})),
        at(FULL, lambda run, response: End(Result("context_full", text(response), run.history))),
        at(FULL, makes_it_smaller),
    ],
)
def test_a_full_window_is_told_in_any_of_these_forms(decide):
    assert each(reports_a_full_context, decide) == {"pass"}


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (asks_again, "signals.full_resent"),
        (lambda run, response: End(text(response)), "signals.full_as_answer"),
        (crashes_in_plain_words, "signals.full_unnamed"),
    ],
)
def test_a_full_window_that_is_kept_quiet_is_found(then, finding):
    assert found(reports_a_full_context, "window_is_full", at(FULL, then)) == finding


def test_a_call_of_an_answer_that_the_window_cut_is_not_run():
    def by_blocks(run, response):
        return run.act(response) if run.calls(response) else End(response)

    assert each(reports_a_full_context, by_blocks) == {"pass", "signals.full_call_ran"}


# --- stop_sequence and what nobody knows -----------------------------------------------------------------


def test_a_stop_sequence_is_an_end_or_is_refused_by_name():
    assert only(ends_at_a_stop_sequence, ordinary) == "pass"
    assert only(ends_at_a_stop_sequence, falls_through_as_text) == "pass"
    refused = at("stop_sequence", lambda run, response: End({"unhandled": "stop_sequence"}))
    assert only(ends_at_a_stop_sequence, refused) == "pass"


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (tells_to_go_on, "signals.sequence_went_on"),
        (lambda run, response: End("finished"), "signals.sequence_lost"),
    ],
)
def test_a_stop_sequence_that_is_no_end_is_found(then, finding):
    assert only(ends_at_a_stop_sequence, at("stop_sequence", then)) == finding


@pytest.mark.parametrize(
    "then",
    [
        lambda run, response: End(Result("unknown stop_reason", text(response))),
        lambda run, response: End({"stop_reason": response.stop_reason, "text": text(response)}),
        lambda run, response: End((response, "unhandled signal")),
    ],
)
def test_an_unknown_signal_is_refused_in_any_of_these_forms(then):
    assert each(names_an_unknown_signal, ordinary) == {"pass"}
    assert each(names_an_unknown_signal, at(signals.ODD, then)) == {"pass"}


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (lambda run, response: End(response), "signals.unknown_as_success"),
        (lambda run, response: End(text(response)), "signals.unknown_as_success"),
        (
            lambda run, response: End({"status": "done", "signal": response.stop_reason}),
            "signals.unknown_as_success",
        ),
        (tells_to_go_on, "signals.unknown_went_on"),
        (crashes_in_plain_words, "signals.unknown_unnamed"),
    ],
)
def test_an_unknown_signal_that_falls_through_is_found(then, finding):
    assert found(names_an_unknown_signal, CASES[names_an_unknown_signal][0], at(signals.ODD, then)) == finding


def test_a_call_beside_an_unknown_signal_is_not_run():
    def by_blocks(run, response):
        return run.act(response) if run.calls(response) else End(response)

    case = CASES[names_an_unknown_signal][1]
    assert found(names_an_unknown_signal, case, by_blocks) == "signals.unknown_went_on"


# --- answers that hold nothing ---------------------------------------------------------------------------


def nudges(times, then):
    def decide(run, response):
        if response.stop_reason == "end_turn" and not text(response):
            if run.count("nudges") > times:
                return then(run, response)
            return run.tell("Please answer.")
        return ordinary(run, response)

    return decide


@pytest.mark.parametrize(
    "decide",
    [
        ordinary,
        falls_through_as_text,
        nudges(1, lambda run, response: End(Result("empty"))),
        nudges(2, lambda run, response: End(response)),
        nudges(0, lambda run, response: End("(no answer)")),
    ],
)
def test_an_empty_end_is_handed_back_or_asked_about_once_or_twice(decide):
    assert only(answers_an_empty_end, decide) == "pass"


def last_words(run, response):
    return End("I'll book it.")


@pytest.mark.parametrize(
    ("decide", "finding"),
    [
        (nudges(50, None), "signals.empty_pressed"),
        (nudges(0, asks_again), "signals.empty_resent"),
        (nudges(0, last_words), "signals.empty_covered"),
    ],
)
def test_an_empty_end_that_is_pressed_or_covered_up_is_found(decide, finding):
    assert only(answers_an_empty_end, decide) == finding


def without_a_call(then):
    def decide(run, response):
        if response.stop_reason == "tool_use" and not run.calls(response):
            return then(run, response)
        return ordinary(run, response)

    return decide


def says_so(times):
    def then(run, response):
        if run.count("odd") > times:
            raise RuntimeError("tool_use without a call")
        tells_to_go_on(run, response)

    return then


@pytest.mark.parametrize(
    "then", [says_so(0), says_so(2), lambda run, response: End(text(response)), lambda run, response: End()]
)
def test_tool_use_without_a_call_ends_or_is_talked_about(then):
    assert only(survives_tool_use_without_a_call, without_a_call(then)) == "pass"


@pytest.mark.parametrize(
    ("then", "finding"),
    [
        (lambda run, response: run.act(response), "signals.no_call_empty_turn"),
        (lambda run, response: run.said(response), "signals.no_call_alone"),
        (asks_again, "signals.no_call_resent"),
        (tells_to_go_on, "signals.no_call_pressed"),
    ],
)
def test_tool_use_without_a_call_that_is_answered_with_nothing_is_found(then, finding):
    assert only(survives_tool_use_without_a_call, without_a_call(then)) == finding
