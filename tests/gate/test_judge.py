"""From runs to states: what a probe comes to, and one cause told once."""

import pytest

from simulator.gate import judge
from simulator.gate.ends import end_of, signature
from simulator.gate.judge import EXPLAINED, Found, Report, performed
from simulator.gate.probe import Case, Probe
from simulator.gate.problems import Problem
from simulator.gate.ran import Ran
from simulator.gate.verdict import broken, holds, not_applicable, unknown


def right(client, messages, tools, handlers, max_iterations=9):
    messages = list(messages)
    for _ in range(max_iterations):
        response = client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    return None


def forgets(client, messages, tools, handlers):
    """Ask the same for ever."""
    while client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools):
        pass


def loses_ids(client, messages, tools, handlers):
    """Answer under a made-up id, which the API refuses."""
    response = client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": "42"}
    turns = [{"role": "assistant", "content": response.content}, {"role": "user", "content": [result]}]
    return client.messages.create(model="m", max_tokens=999, messages=[*messages, *turns], tools=tools)


def crashes(client, messages, tools, handlers):
    """Break off at the first answer."""
    response = client.messages.create(model="m", max_tokens=999, messages=messages, tools=tools)
    return response.no_such_attribute


def strays(client, messages, tools, handlers):
    """Ask what nobody recorded."""
    told = [{"role": "user", "content": "Tell me a story about a lighthouse."}]
    return client.messages.create(model="m", max_tokens=999, messages=told, tools=tools)


def good(trace):
    return holds()


def bad(trace):
    return broken("family.bad", 1, requests=len(trace.requests))


def silent(trace):
    return unknown()


def aside(trace):
    return not_applicable("family.aside")


def made(name, judgement, *cases):
    return Probe(f"family.{name}", "a", judgement, cases or (Case("list_then_read"),))


def found(loop, *probes):
    return judge.judge(probes, performed(loop, probes, 0))


def states(loop, *probes):
    return [(one.state, one.finding) for one in found(loop, *probes)]


LIST, COUNT = Case("list_then_read"), Case("count_python_files")


def test_a_verdict_is_the_state_of_its_probe():
    probes = [made("a", good), made("b", bad), made("c", aside)]
    expected = [("pass", ""), ("fail", "family.bad"), ("not-applicable", "family.aside")]
    assert states(right, *probes) == expected


def test_a_failure_says_in_which_case_at_which_request_and_with_what_facts():
    (one,) = found(right, made("b", bad))
    assert (one.case, one.turn, one.facts) == (LIST, 1, {"requests": 3})
    assert one.trace is not None


def test_equal_cases_share_a_run_and_a_case_may_bring_its_own_judgement():
    probe = made("x", good, LIST, Case("list_then_read", judgement=bad))
    assert len(performed(right, [probe, made("y", good)], 0)) == 1
    assert states(right, probe) == [("fail", "family.bad")]


@pytest.mark.parametrize(
    ("judgements", "state"),
    [
        ((good, good), "pass"),
        ((good, bad), "fail"),
        ((good, silent), "could-not-check"),
        ((silent, bad), "fail"),
        ((aside, good), "pass"),
        ((aside, aside), "not-applicable"),
        ((aside, silent), "could-not-check"),
    ],
)
def test_the_worst_of_its_cases_is_the_state_of_a_probe(judgements, state):
    cases = [Case(c.scenario, judgement=j) for c, j in zip((LIST, COUNT), judgements, strict=True)]
    assert found(right, made("x", good, *cases))[0].state == state


def test_an_option_that_the_loop_does_not_offer_is_not_judged_and_named():
    (one,) = found(right, made("x", bad, Case("list_then_read", {"tokens": 5})))
    assert (one.state, one.finding) == ("not-applicable", "gate.not_offered")
    assert one.facts["names"].startswith("max_total_tokens, ")
    assert states(right, made("x", good, Case("list_then_read", {"steps": 5}))) == [("pass", "")]


# Where a judgement cannot tell

ENDS = {
    "returned": (right, "could-not-check"),
    "runaway": (forgets, "fail"),
    "refused": (loses_ids, "fail"),
    "raised": (crashes, "fail"),
    "off_script": (strays, "could-not-check"),
}


@pytest.mark.parametrize("code", ENDS)
def test_the_end_of_the_run_decides_what_a_judgement_cannot(code):
    loop, state = ENDS[code]
    assert states(loop, made("x", silent)) == [(state, f"gate.end.{code}")]


@pytest.mark.parametrize(
    ("code", "state"), [("hangs", "fail"), ("died", "fail"), ("not_run", "could-not-check")]
)
def test_a_run_that_was_lost_decides_too(code, state):
    probe = made("x", good)
    lost = Ran(None, problem=Problem(f"gate.end.{code}", {"status": 1}))
    (one,) = judge.judge([probe], {LIST.key(): lost})
    assert (one.state, one.finding, one.problem) == (state, f"gate.end.{code}", lost.problem)


def test_a_refusal_names_the_request_and_the_rule():
    (one,) = found(loses_ids, made("x", silent))
    assert (one.turn, one.facts["status"], one.facts["type"]) == (2, 400, "invalid_request_error")
    assert one.facts["rule"] in one.facts["place"]


def test_a_crash_names_its_line():
    (one,) = found(crashes, made("x", silent))
    assert one.facts["type"] == "AttributeError"
    assert one.facts["text"] == "return response.no_such_attribute"


# One cause, told once


def test_what_explains_an_end_is_told_and_the_others_wait_for_it():
    probes = [made("x", silent, COUNT), made("y", bad), made("z", silent, Case("parallel_reads"))]
    first, second, third = found(forgets, *probes)
    assert (second.state, second.finding) == ("fail", "family.bad")
    for one in (first, third):
        assert (one.state, one.finding) == ("could-not-check", EXPLAINED)
        assert one.facts == {"cause": "family.y"}


def test_without_a_finding_the_first_stands_for_all_that_ended_alike():
    probes = [
        made(name, silent, Case(scenario)) for name, scenario in (("x", "list_then_read"), ("y", "todo_list"))
    ]
    assert states(crashes, *probes) == [("fail", "gate.end.raised"), ("could-not-check", EXPLAINED)]


def test_ends_that_differ_are_each_told():
    def mixed(client, messages, tools, handlers):
        which = crashes if "list_dir" in handlers else forgets
        return which(client, messages, tools, handlers)

    probes = [made("x", silent, LIST), made("y", silent, Case("two_tickets"))]
    assert states(mixed, *probes) == [("fail", "gate.end.raised"), ("fail", "gate.end.runaway")]


def test_a_finding_is_never_hidden_by_another():
    assert states(forgets, made("x", bad), made("y", bad, COUNT)) == [("fail", "family.bad")] * 2


def test_runs_with_the_same_cause_have_the_same_signature():
    runs = [performed(crashes, [made("x", silent, case)], 0)[case.key()] for case in (LIST, COUNT)]
    assert signature(runs[0]) == signature(runs[1])
    assert end_of(runs[0])[0] == "raised"


# The report


def report(*states, problem=None):
    findings = tuple(Found(made(str(n), good), state, LIST) for n, state in enumerate(states))
    return Report("agent.py", 0, None, findings, problem)


def test_a_report_passes_when_nothing_failed_and_something_held():
    assert report("pass", "not-applicable", "could-not-check").passed
    assert not report("pass", "fail").passed
    assert not report("not-applicable", "could-not-check").passed
    assert not report().passed
    assert not report("pass", problem=Problem("gate.target.form")).passed
