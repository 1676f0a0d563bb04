"""Family t: however a loop sees to its deadlines, it comes back; and it says why."""

import asyncio
import copy
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.gate.judgements import deadlines
from simulator.gate.options import canceller
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.saying import check

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
LATE = Case("scanner_hangs", {"tool_seconds": 0.2})
CANCELLED = Case("scanner_hangs", {"cancelled": 0.2})


class ToolTimeout(Exception):  # noqa: N818  # a stranger's name
    """A tool took too long."""


class RunCancelled(Exception):  # noqa: N818  # a stranger's name
    """The caller does not want it any more."""


def result(block, content, **flag):
    return {"type": "tool_result", "tool_use_id": block.id, "content": content, **flag}


def loop(run):
    """Return an ordinary loop; ``run(handler, block, tool_timeout, cancelled)`` gives each result."""

    def run_agent_loop(client, messages, tools, handlers, tool_timeout=None, cancelled=lambda: False):
        history = copy.deepcopy(messages)
        while not cancelled():
            response = client.messages.create(**MODEL, messages=history, tools=tools)
            if response.stop_reason != "tool_use":
                return response
            calls = [block for block in response.content if block.type == "tool_use"]
            results = [run(handlers[block.name], block, tool_timeout, cancelled) for block in calls]
            history.append({"role": "assistant", "content": response.content})
            history.append({"role": "user", "content": results})
        raise RunCancelled("cancelled by the caller")

    return run_agent_loop


def started(handler, block):
    """Start *handler* in a daemon thread; return where its result will be, and what says that it is there."""
    box, ready = [], threading.Event()

    def work():
        try:
            box.append(handler(**block.input))
        except Exception as error:
            box.append(str(error))
        ready.set()

    threading.Thread(target=work, daemon=True).start()
    return box, ready


def flagged(handler, block, seconds, cancelled):
    box, ready = started(handler, block)
    if ready.wait(seconds):
        return result(block, box[0])
    return result(block, "no answer", is_error=True)


def in_words(handler, block, seconds, cancelled):
    box, ready = started(handler, block)
    return result(block, box[0] if ready.wait(seconds) else f"{block.name} timed out after {seconds} s")


def in_a_pool(handler, block, seconds, cancelled):
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        return result(block, pool.submit(handler, **block.input).result(seconds))
    except TimeoutError as error:
        return result(block, repr(error), is_error=True)
    finally:
        pool.shutdown(wait=False)


def raising(handler, block, seconds, cancelled):
    box, ready = started(handler, block)
    if not ready.wait(seconds):
        raise ToolTimeout(f"{block.name} did not come back within {seconds} s")
    return result(block, box[0])


async def in_an_event_loop(client, messages, tools, handlers, tool_timeout=None):
    history = copy.deepcopy(messages)
    while True:
        response = await client.messages.create(**MODEL, messages=history, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        results = await asyncio.gather(*(awaited(handlers[b.name], b, tool_timeout) for b in calls))
        history.append({"role": "assistant", "content": response.content})
        history.append({"role": "user", "content": results})


async def awaited(handler, block, seconds):
    box, ready = started(handler, block)
    try:
        await asyncio.wait_for(until(ready), seconds)
    except TimeoutError:
        return result(block, "timeout", is_error=True)
    return result(block, box[0])


async def until(ready):
    while not ready.is_set():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "right", [loop(flagged), loop(in_words), loop(in_a_pool), loop(raising), in_an_event_loop]
)
def test_a_hanging_tool_may_be_answered_for_or_end_the_run(right):
    verdict = deadlines.answers_for_a_hanging_tool(perform(right, LATE, 1))
    assert verdict.outcome == "pass", verdict


def empty(handler, block, seconds, cancelled):
    box, ready = started(handler, block)
    return result(block, box[0] if ready.wait(seconds) else "")


def waiting_after_all(handler, block, seconds, cancelled):
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            return result(block, pool.submit(handler, **block.input).result(seconds))
        except TimeoutError:
            return result(block, "timed out", is_error=True)


def giving_up(client, messages, tools, handlers, tool_timeout=None):
    try:
        return loop(raising)(client, messages, tools, handlers, tool_timeout)
    except ToolTimeout:
        return ""


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [(loop(empty), "as_success"), (loop(waiting_after_all), "hung"), (giving_up, "untold")],
)
def test_each_way_to_mishandle_a_hanging_tool_has_its_finding(wrong, finding):
    verdict = deadlines.answers_for_a_hanging_tool(perform(wrong, LATE, 1, deadline=0.8))
    check(verdict, f"deadlines.{finding}")


def looking_up(handler, block, seconds, cancelled):
    box, ready = started(handler, block)
    while not ready.wait(0.02):
        if cancelled():
            raise RunCancelled("cancelled by the caller")
    return result(block, box[0])


def coming_back(client, messages, tools, handlers, cancelled=lambda: False):
    try:
        return loop(looking_up)(client, messages, tools, handlers, cancelled=cancelled)
    except RunCancelled:
        return {"status": "cancelled", "text": None}


@pytest.mark.parametrize("right", [loop(looking_up), coming_back])
def test_whoever_cancels_during_a_hanging_tool_is_heard(right):
    verdict = deadlines.stops_when_cancelled(perform(right, CANCELLED, 1))
    assert verdict.outcome == "pass", verdict


def between_steps(handler, block, seconds, cancelled):
    return result(block, handler(**block.input))


def going_on(client, messages, tools, handlers, cancelled=lambda: False):
    def run(handler, block, seconds, cancelled):
        return looking_up(handler, block, seconds, cancelled)

    def quiet(handler, block, seconds, _):
        try:
            return run(handler, block, seconds, cancelled)
        except RunCancelled as error:
            return result(block, str(error), is_error=True)

    return loop(quiet)(client, messages, tools, handlers)


def saying_nothing(client, messages, tools, handlers, cancelled=lambda: False):
    try:
        return loop(looking_up)(client, messages, tools, handlers, cancelled=cancelled)
    except RunCancelled:
        return None


@pytest.mark.parametrize(
    ("wrong", "finding"), [(loop(between_steps), "deaf"), (going_on, "went_on"), (saying_nothing, "unsaid")]
)
def test_each_way_to_overhear_whoever_cancels_has_its_finding(wrong, finding):
    verdict = deadlines.stops_when_cancelled(perform(wrong, CANCELLED, 1, deadline=0.8))
    check(verdict, f"deadlines.{finding}")


def test_who_cancels_before_anything_was_asked_is_heard_as_well():
    case = Case("scanner_hangs", {"cancelled": 0})
    assert deadlines.stops_when_cancelled(perform(loop(looking_up), case, 1)).outcome == "pass"


def test_a_caller_cancels_after_the_time_that_the_case_states():
    cancelled = canceller(0.05)
    assert not cancelled()
    time.sleep(0.06)
    assert cancelled()
