"""Family i, the other way round: what is no failure of a tool is not told as one."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.gate.judgements import tool_errors
from tests.gate.judgements.small_loop import judged, one_by_one, run_one, saying, side_by_side, told


def flagged_where(wrong):
    def run(calls, handlers):
        results = one_by_one(calls, handlers)
        return [{**each, "is_error": True} if wrong(each["content"]) else each for each in results]

    return run


@pytest.mark.parametrize(
    ("scenario", "wrong"),
    [
        ("night_log", lambda content: "error" in content),
        ("night_log", lambda content: "failed" in content),
        ("lost_property", lambda content: content in ("null", "[]")),
    ],
)
def test_a_success_that_is_called_a_failure_is_found(scenario, wrong):
    assert judged(tool_errors.success_is_not_flagged, scenario).outcome == "pass"
    verdict = judged(tool_errors.success_is_not_flagged, scenario, run=flagged_where(wrong))
    assert verdict.finding == "tool_errors.false_flag"


def test_an_is_error_that_is_false_is_no_flag():
    stated = saying(lambda value: value)
    run = lambda calls, handlers: [{"is_error": False, **each} for each in stated(calls, handlers)]  # noqa: E731
    assert judged(tool_errors.success_is_not_flagged, "night_log", run=run).outcome == "pass"


def tidied_up(calls, handlers):
    try:
        return one_by_one(calls, handlers)
    except KeyboardInterrupt:
        calls.clear()
        raise


def ended_quietly(calls, handlers):
    try:
        return one_by_one(calls, handlers)
    except KeyboardInterrupt:
        return None


@pytest.mark.parametrize("run", [one_by_one, side_by_side, tidied_up, ended_quietly])
def test_an_interrupt_ends_the_run(run):
    assert judged(tool_errors.an_interrupt_interrupts, "ctrl_c", run=run).outcome == "pass"


def caught(calls, handlers):
    try:
        return one_by_one(calls, handlers)
    except BaseException as error:
        return [told(call, error) for call in calls]


def tried_again(calls, handlers):
    try:
        return one_by_one(calls, handlers)
    except KeyboardInterrupt:
        return one_by_one(calls, handlers)


def caught_in_a_thread(calls, handlers):
    with ThreadPoolExecutor() as pool:
        jobs = [(call, pool.submit(run_one, call, handlers)) for call in calls]
    return [told(c, job.exception()) if job.exception() else job.result() for c, job in jobs]


@pytest.mark.parametrize("run", [caught, tried_again, caught_in_a_thread])
def test_an_interrupt_that_is_told_or_swallowed_is_found(run):
    verdict = judged(tool_errors.an_interrupt_interrupts, "ctrl_c", run=run)
    assert verdict.finding == "tool_errors.interrupt_overruled"
