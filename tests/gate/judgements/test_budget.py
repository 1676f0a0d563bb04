"""Family g: where a limit falls, what it is called, and what is left of the work. The slow tools of the time
budget are not slept through here; ``test_proofs`` judges it in a process where no sleep takes time.
"""

import copy

import pytest

from simulator.gate.judgements import spending
from simulator.gate.judgements.budget import (
    PROBES,
    hands_over_the_work,
    has_a_ceiling,
    keeps_to_money,
    keeps_to_steps,
    keeps_to_tokens,
    leaves_no_call_open,
    names_its_limit,
    takes_the_last_answer,
)
from simulator.gate.judgements.reading import exchanges
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.deciding import (
    BudgetExceeded,
    End,
    Result,
    UnhandledStop,
    found,
    judged,
    loop,
    ordinary,
    raises,
    text,
)


def steps(limit):
    return Case("todo_list", {"steps": limit})  # The script needs six.


# --- steps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 6, 7])
def test_a_limit_of_steps_that_holds_is_right_whatever_it_is(limit):
    assert found(keeps_to_steps, steps(limit)) == "pass"


def counts_badly(allowed):
    """Return a loop that sends *allowed* of its limit requests."""

    def run_agent_loop(client, messages, tools, handlers, max_turns=20):
        return loop(over=lambda run: "max_turns reached")(
            client, messages, tools, handlers, max_iterations=allowed(max_turns)
        )

    return run_agent_loop


@pytest.mark.parametrize(
    ("allowed", "limit", "finding"),
    [
        (lambda n: n + 1, 2, "budget.over"),
        (lambda n: n or 20, 0, "budget.over"),
        (lambda n: max(n, 3), 1, "budget.over"),
        (lambda n: n - 1, 2, "budget.under"),
        (lambda n: n - 1, 6, "budget.under"),
        (lambda n: n // 2, 1, "budget.under"),
    ],
)
def test_a_limit_that_is_off_by_one_or_takes_nothing_for_no_limit_is_found(allowed, limit, finding):
    verdict = keeps_to_steps(perform(counts_badly(allowed), steps(limit), 1))
    assert verdict.finding == finding
    assert verdict.facts["name"] == "max_turns"


def test_a_crash_at_a_limit_of_nothing_is_a_crash():
    def reads_what_is_not_there(run):
        return run.last.content

    assert found(keeps_to_steps, steps(0), over=reads_what_is_not_there) == "unknown"
    assert found(names_its_limit, steps(0), over=reads_what_is_not_there) == "unknown"


# --- tokens and money ------------------------------------------------------------------------------------


def spends(limit_of, price=0.0):
    """Return a loop with a budget of tokens or money; *limit_of* says what counts as spent."""

    def run_agent_loop(client, messages, tools, handlers, max_total_tokens=None, max_cost=None):
        history, usages = copy.deepcopy(messages), []
        while True:
            spent = limit_of(usages)
            if max_total_tokens is not None and spent >= max_total_tokens:
                raise BudgetExceeded(f"{spent} of {max_total_tokens} tokens")
            if max_cost is not None and spent * price >= max_cost:
                raise BudgetExceeded(f"{spent * price} of {max_cost} dollars")
            response = client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=history, tools=tools
            )
            usages.append(response.usage.input_tokens + response.usage.output_tokens)
            if response.stop_reason != "tool_use":
                return response
            history += [
                {"role": "assistant", "content": response.content},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                        for b in response.content
                        if b.type == "tool_use"
                    ],
                },
            ]

    return run_agent_loop


def used(requests):
    """Return the tokens of the first *requests* answers of the script."""
    seen = exchanges(perform(loop(), Case("todo_list"), 1))
    return int(spending.tokens(seen, requests)[0])


def with_tokens(judgement, limit, limit_of=sum):
    return judgement(perform(spends(limit_of), Case("todo_list", {"tokens": limit}), 1))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_limit_of_tokens_is_exact_to_the_token(more):
    assert with_tokens(keeps_to_tokens, used(2) + more).outcome == "pass"


@pytest.mark.parametrize("limit", [0, 1, 1_000_000])
def test_a_limit_of_tokens_holds_at_its_ends(limit):
    assert with_tokens(keeps_to_tokens, limit).outcome == "pass"


def test_a_loop_that_keeps_enough_in_reserve_for_the_next_answer_is_right():
    def with_reserve(usages):
        return sum(usages) + (usages[-1] if usages else 0)

    assert with_tokens(keeps_to_tokens, used(3), with_reserve).outcome == "pass"


@pytest.mark.parametrize(
    ("limit_of", "finding"),
    [
        (lambda usages: usages[-1] if usages else 0, "budget.over"),
        (lambda usages: sum(usages[:-1]), "budget.over"),
        (lambda usages: 10 * sum(usages), "budget.under"),
    ],
)
def test_tokens_that_are_counted_wrongly_are_found(limit_of, finding):
    assert with_tokens(keeps_to_tokens, used(4), limit_of).finding == finding


def test_money_is_judged_so_that_any_price_table_agrees():
    for price in (0.25e-6, 3e-6, 75e-6):
        for limit in (0, 1e-4, 10_000):
            trace = perform(spends(sum, price), Case("todo_list", {"money": limit}), 1)
            assert keeps_to_money(trace).outcome == "pass", (price, limit)
    blind = perform(spends(lambda usages: 0), Case("todo_list", {"money": 1e-4}), 1)
    assert keeps_to_money(blind).finding == "budget.over"


# --- what the end is called ------------------------------------------------------------------------------


class TooManySteps(Exception):  # noqa: N818  # as a stranger would name it
    pass


def by_a_plain_error(run):
    raise RuntimeError(f"the agent did not finish in {run.limit} turns")


def by_its_type(run):
    raise TooManySteps


def by_the_clock(run):
    raise TimeoutError


def by_an_attribute(run):
    error = Exception("stopped")
    error.limit = "max_iterations"
    raise error


@pytest.mark.parametrize(
    "over",
    [
        raises,
        by_a_plain_error,
        by_an_attribute,
        by_its_type,
        by_the_clock,
        lambda run: {"status": "max_steps", "text": ""},
        lambda run: Result("budget_exceeded", "", run.history),
        lambda run: (run.last, "limit reached"),
        lambda run: {"finished": False, "why": "presupuesto agotado", "steps": 2},
        lambda run: {"limit_reached": True, "last": run.last},
    ],
)
def test_the_end_may_be_named_in_any_of_these_forms(over):
    assert found(names_its_limit, steps(2), over=over) == "pass"


@pytest.mark.parametrize(
    ("over", "finding"),
    [
        (lambda run: run.last, "budget.silent"),
        (lambda run: None, "budget.silent"),
        (lambda run: text(run.last), "budget.silent"),
        (lambda run: {"text": text(run.last), "steps": 2, "max_iterations": 2}, "budget.silent"),
        (lambda run: {"messages": run.history, "usage": {"input_tokens": 9}}, "budget.silent"),
        (lambda run: {"status": "done", "note": "budget used up"}, "budget.as_success"),
        (lambda run: {"success": True, "stopped": "max_steps"}, "budget.as_success"),
    ],
)
def test_an_end_that_is_not_named_or_called_success_is_found(over, finding):
    assert found(names_its_limit, steps(2), over=over) == finding


def test_an_exception_about_nothing_does_not_name_the_limit():
    def stops(run):
        raise RuntimeError("agent stopped")

    assert found(names_its_limit, steps(2), over=stops) == "budget.unnamed"


def test_what_a_tool_said_about_budgets_does_not_name_the_limit():
    assert found(names_its_limit, steps(2), over=lambda run: run.history) == "budget.silent"


# --- what is left of the work ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "own"),
    [
        (lambda run: {"status": "limit", "messages": run.history}, False),
        (lambda run: {"status": "limit", "text": text(run.last)}, False),
        (lambda run: Result("limit", text(run.last)), False),
        (raises, True),
    ],
)
def test_work_may_be_handed_over_as_text_as_messages_or_in_the_callers_own_list(over, own):
    assert found(hands_over_the_work, steps(2), over=over, own=own) == "pass"
    assert found(leaves_no_call_open, steps(2), over=over, own=own) == "pass"


def test_a_limit_that_lets_go_of_everything_is_found():
    assert found(hands_over_the_work, steps(2)) == "budget.lost"
    assert found(hands_over_the_work, steps(2), over=lambda run: "limit reached") == "budget.lost"


def looks_at_the_limit_before_the_tools(run, response):
    if run.requests >= run.limit and response.stop_reason == "tool_use":
        run.said(response)
        return End({"status": "limit", "messages": run.history})
    return ordinary(run, response)


def test_a_call_that_is_left_open_is_found_wherever_the_conversation_is_handed_over():
    assert found(leaves_no_call_open, steps(2), looks_at_the_limit_before_the_tools) == "budget.open_call"
    own = {"decide": looks_at_the_limit_before_the_tools, "own": True}
    assert found(leaves_no_call_open, steps(2), **own) == "budget.open_call"


def test_an_answer_that_comes_with_the_last_step_is_the_answer():
    def looks_at_the_limit_first(run, response):
        if run.requests >= run.limit:
            raise BudgetExceeded("max_iterations")
        return ordinary(run, response)

    assert found(takes_the_last_answer, steps(6)) == "pass"
    assert found(takes_the_last_answer, steps(6), looks_at_the_limit_first) == "budget.thrown_away"
    assert found(takes_the_last_answer, steps(5)) == "unknown"


# --- no limit at all -------------------------------------------------------------------------------------


def ceiling():
    probe = next(each for each in PROBES if each.judgement is has_a_ceiling)
    return probe.cases[0]


def test_a_loop_that_offers_no_limit_is_found_and_one_that_offers_any_is_right():
    def no_limit(client, messages, tools, handlers):
        return loop()(client, messages, tools, handlers, max_iterations=1000)

    low = ceiling()
    assert has_a_ceiling(perform(no_limit, low, 1)).finding == "budget.no_ceiling"
    assert has_a_ceiling(perform(spends(sum), low, 1)).outcome == "pass"
    assert has_a_ceiling(perform(loop(), low, 1)).outcome == "pass"


def test_a_limit_that_stops_one_request_late_is_a_limit():
    late = counts_badly(lambda limit: limit + 1)
    assert has_a_ceiling(perform(late, ceiling(), 1)).outcome == "pass"
    assert keeps_to_steps(perform(late, ceiling(), 1)).finding == "budget.over"


def test_an_end_by_another_name_is_no_matter_of_budgets():
    def stops(run, response):
        raise UnhandledStop("tool_use")

    assert judged(keeps_to_steps, steps(2), stops).finding == "budget.under"


# --- one request to close the run ------------------------------------------------------------------------


def closes(times=1, **more):
    """Return a loop that, at its limit, asks *times* for a summary."""

    def over(run):
        for _ in range(times):
            run.tell("That was the last step. Sum up what you have.")
            response = run.ask(**more)
            run.said(response)
        return Result("max_iterations", text(response), run.history)

    def knows_the_takings(run, response):
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": "Box office: 1,460.00"}
            for call in run.calls(response)
        ]
        return run.act(response, results)  # The tool itself is slow.

    return loop(knows_the_takings, over)


def test_a_run_may_be_closed_by_one_request_in_which_nothing_can_be_called():
    none = {"tool_choice": {"type": "none"}}
    limited = Case("nights_takings", {"steps": 1})
    assert keeps_to_steps(perform(closes(**none), limited, 1)).outcome == "pass"
    assert keeps_to_steps(perform(closes(), limited, 1)).finding == "budget.over"
    assert keeps_to_steps(perform(closes(2, **none), limited, 1)).finding == "budget.over"
    nothing = Case("nights_takings", {"steps": 0})
    assert keeps_to_steps(perform(closes(**none), nothing, 1)).finding == "budget.over"
