"""Tools that hang or are interrupted while a loop is observed: how the run ends, and what is left of it."""

import asyncio
import threading
import time

import pytest

from simulator.recording.scenario import Scenario
from simulator.trace.observe import observe
from tests.recording.made import list_dir


def scenario(*results):
    entry = {"name": "list_dir", "input": {"path": "."}, "tool_use_id": "toolu_1", "results": list(results)}
    return Scenario.of(list_dir(handlers=[entry]))


def ask(client, tools, messages):
    return client.messages.create(model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages)


def answered(messages, response, content):
    call = response.content[-1]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    return [
        *messages,
        {"role": "assistant", "content": response.content},
        {"role": "user", "content": [result]},
    ]


def loop(client, messages, tools, handlers):
    response = ask(client, tools, messages)
    content = handlers["list_dir"](**response.content[-1].input)
    return ask(client, tools, answered(messages, response, content)).content[0].text


def soon(began, seconds=5.0):
    return time.monotonic() - began < seconds


def test_a_tool_that_hangs_in_the_loops_own_thread_ends_at_the_deadline():
    began = time.monotonic()
    trace = observe(loop, scenario({"hangs": True}), deadline=0.3)
    assert (trace.exit.reason, soon(began)) == ("deadline", True)


def test_a_loop_that_waits_for_the_thread_of_a_hanging_tool_ends_at_the_deadline_too():
    def waiting(client, messages, tools, handlers):
        response = ask(client, tools, messages)
        thread = threading.Thread(target=handlers["list_dir"], kwargs=response.content[-1].input)
        thread.start()
        thread.join()

    began = time.monotonic()
    trace = observe(waiting, scenario({"hangs": True}), deadline=0.3)
    assert (trace.exit.reason, soon(began)) == ("deadline", True)


def test_a_thread_that_was_left_behind_ends_with_the_run():
    threads = []

    def leaving(client, messages, tools, handlers):
        response = ask(client, tools, messages)
        threads.append(threading.Thread(target=handlers["list_dir"], kwargs=response.content[-1].input))
        threads[0].start()
        threads[0].join(0.1)
        return "left"

    trace = observe(leaving, scenario({"hangs": True}))
    threads[0].join(5)
    assert (trace.exit.value, threads[0].is_alive()) == ("left", False)


def test_an_async_loop_that_gives_a_hanging_tool_up_is_over_when_it_returns():
    async def patient(client, messages, tools, handlers):
        response = await ask(client, tools, messages)
        hanging = asyncio.to_thread(handlers["list_dir"], **response.content[-1].input)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(hanging, 0.1)
        return "given up"

    began = time.monotonic()
    trace = observe(patient, scenario({"hangs": True}))
    assert (trace.exit.reason, trace.exit.value, soon(began)) == ("returned", "given up", True)


def test_a_hanging_tool_in_an_event_loop_ends_at_the_deadline():
    async def blocking(client, messages, tools, handlers):
        response = await ask(client, tools, messages)
        return handlers["list_dir"](**response.content[-1].input)

    began = time.monotonic()
    trace = observe(blocking, scenario({"hangs": True}), deadline=0.3)
    assert (trace.exit.reason, soon(began)) == ("deadline", True)


def test_ctrl_c_in_a_tool_is_how_the_run_ends_where_nobody_catches_it():
    trace = observe(loop, scenario({"interrupt": True}))
    assert trace.exit.reason == "interrupted"


def test_ctrl_c_that_a_loop_outlives_comes_no_second_time():
    def stubborn(client, messages, tools, handlers):
        try:
            return loop(client, messages, tools, handlers)
        except KeyboardInterrupt:
            return loop(client, messages, tools, handlers)

    trace = observe(stubborn, scenario({"interrupt": True, "text": "package.json\nREADME.md"}))
    assert trace.exit.value == "There are two files."


def test_a_value_of_a_tool_is_in_the_trace_as_it_was_returned():
    trace = observe(lambda client, handlers: handlers["list_dir"](path="."), scenario({"value": None}))
    assert (trace.exit.reason, trace.exit.value) == ("returned", None)
