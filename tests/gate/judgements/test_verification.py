"""Families o and u: a check that fails, one that never passes, and what is made of them."""

import pytest

from simulator.gate.judgements import continuation, verification
from simulator.gate.judgements.continuation import has_its_own_name, is_overruled
from simulator.gate.judgements.verification import (
    PROBLEM,
    a_limit_is_no_success,
    returns_the_answer,
    sends_the_problem_back,
    unverified_is_no_success,
)
from tests.gate.judgements.deciding import BudgetExceeded, End, Result, found, ordinary, raises, text

CASES = {probe.judgement: probe.cases for probe in (*verification.PROBES, *continuation.PROBES)}


def each(judgement, decide, **more):
    return {found(judgement, case, decide, **more) for case in CASES[judgement]}


class CheckFailed(Exception):  # noqa: N818  # as a stranger would name it
    pass


def checked(in_the_end, rounds=2, tell=lambda problem: problem, done=End):
    """Return a loop that sends the problem back *rounds* times."""

    def decide(run, response):
        if response.stop_reason != "end_turn":
            return ordinary(run, response)
        problem = run.check(text(response), run.history) if run.check else None
        if problem is None:
            return done(response)
        if run.count("failed") > rounds:
            return in_the_end(response, problem)
        run.said(response)
        return run.tell(tell(problem))

    return decide


def raising(response, problem):
    raise CheckFailed(problem)


RIGHT = [
    checked(raising),
    checked(lambda response, problem: End(Result("unverified", text(response)))),
    checked(lambda response, problem: End({"answer": text(response), "verified": False})),
    checked(lambda response, problem: End((response, f"rejected by the check: {problem}")), rounds=1),
    checked(lambda response, problem: End({"text": text(response), "problem": problem}), rounds=9),
    checked(
        lambda response, problem: End(f"{text(response)}\n\n(Sin confirmar.)"),
        tell=lambda p: f"Todavía no: {p}",
    ),
]


@pytest.mark.parametrize("decide", RIGHT)
def test_a_check_may_be_heard_and_overruled_in_any_of_these_ways(decide):
    for judgement in CASES:
        if judgement is not a_limit_is_no_success:
            assert each(judgement, decide) == {"pass"}, judgement.__name__


@pytest.mark.parametrize("over", [raises, lambda run: {"status": "max_iterations", "text": text(run.last)}])
def test_a_limit_in_the_last_round_says_that_it_is_one(over):
    assert each(a_limit_is_no_success, checked(raising, rounds=9), over=over) == {"pass"}


def test_a_loop_that_ends_by_name_at_the_first_problem_is_not_judged_by_its_rounds():
    decide = checked(raising, rounds=0)
    assert each(sends_the_problem_back, decide) == {"verification.no_rounds"}
    assert each(returns_the_answer, decide) == {"pass", "verification.no_rounds"}
    assert each(unverified_is_no_success, decide) == {"pass"}
    assert each(is_overruled, decide) == {"pass"}


def never_calls_it(run, response):
    return ordinary(run, response)


def test_a_model_that_is_believed_is_found():
    assert each(sends_the_problem_back, never_calls_it) == {"verification.believed"}
    assert each(unverified_is_no_success, never_calls_it) == {"verification.as_success"}


@pytest.mark.parametrize("words", ["Try again.", "The check failed.", PROBLEM[:20]])
def test_a_problem_that_is_not_told_is_found(words):
    decide = checked(raising, tell=lambda problem: words)
    assert each(sends_the_problem_back, decide) == {"verification.problem_untold"}


@pytest.mark.parametrize(
    ("done", "finding"),
    [
        (lambda response: End(), "verification.nothing"),
        (lambda response: End("verified"), "verification.not_the_answer"),
        (lambda response: End({"status": "done"}), "verification.not_the_answer"),
    ],
)
def test_what_comes_back_is_the_answer_and_not_the_checks_word_for_it(done, finding):
    assert each(returns_the_answer, checked(raising, done=done)) == {finding}


@pytest.mark.parametrize(
    "in_the_end",
    [
        lambda response, problem: End(response),
        lambda response, problem: End(text(response)),
        lambda response, problem: End({"status": "done", "answer": text(response), "note": "check failed"}),
        lambda response, problem: End({"verified": True, "answer": text(response)}),
    ],
)
def test_an_answer_that_never_passed_is_found_where_it_looks_like_success(in_the_end):
    assert each(unverified_is_no_success, checked(in_the_end)) == {"verification.as_success"}


def test_a_limit_that_hands_back_what_did_not_pass_is_found():
    over = {"over": lambda run: run.last}
    assert each(a_limit_is_no_success, checked(raising, rounds=9), **over) == {"verification.as_success"}


def test_rounds_are_bounded_by_ten_in_all():
    assert each(is_overruled, checked(raising, rounds=9)) == {"pass"}
    assert each(is_overruled, checked(raising, rounds=10)) == {"continuation.without_end"}
    assert each(is_overruled, checked(raising, rounds=1000)) == {"continuation.without_end"}


def test_a_tool_that_ran_or_another_text_is_no_reason_to_count_anew():
    def counts_anew(run, response):
        if response.stop_reason == "tool_use" or text(response) != run.kept.get("before"):
            run.kept.pop("failed", None)
        run.kept["before"] = text(response)
        return checked(raising)(run, response)

    case = CASES[is_overruled][1]
    assert found(is_overruled, case, counts_anew) == "continuation.without_end"


def test_a_check_that_never_agreed_is_not_called_a_spent_budget():
    def as_budget(response, problem):
        raise BudgetExceeded("max_iterations")

    assert each(has_its_own_name, checked(as_budget)) == {"continuation.nameless"}
    assert each(unverified_is_no_success, checked(as_budget)) == {"pass"}


def test_an_exception_about_nothing_has_no_name():
    def odd(response, problem):
        raise RuntimeError("gave up")

    assert each(has_its_own_name, checked(odd)) == {"continuation.nameless"}
