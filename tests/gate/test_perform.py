"""One run for a probe: any kind of loop, what it hands back, what it records, and the waits it counts."""

import dataclasses
import enum
import json
import logging
import subprocess
import sys
import textwrap

import pytest

from simulator.gate.options import OPTIONS, NotOfferedError, arguments, offered
from simulator.gate.perform import perform
from simulator.gate.probe import Case

LIST = Case("list_then_read")


class Mood(enum.Enum):
    GOOD = 1


@dataclasses.dataclass
class Answer:
    text: str
    mood: Mood = Mood.GOOD
    parts: tuple = ()


class TooFar(Exception):  # noqa: N818
    def __init__(self, steps):
        super().__init__(f"after {steps}")
        self.steps = steps


def plain(client, messages, tools, handlers):
    return Answer("done")


async def coroutine(client, messages, tools, handlers):
    return Answer("done")


def generator(client, messages, tools, handlers):
    yield "a part"
    return Answer("done")


def yields_last(client, messages, tools, handlers):
    yield "a part"
    yield Answer("done")


async def async_generator(client, messages, tools, handlers):
    yield "a part"
    yield Answer("done")


KINDS = [plain, coroutine, generator, yields_last, async_generator]


@pytest.mark.parametrize("loop", KINDS, ids=lambda loop: loop.__name__)
def test_what_any_kind_of_loop_hands_back_has_its_fields_by_name(loop):
    told = {"class": "Answer", "text": "done", "parts": []}
    told |= {"mood": {"class": "Mood", "name": "GOOD", "value": 1}}
    assert perform(loop, LIST, 0).exit.value == told


def raising(kind):
    async def coroutine(client, messages, tools, handlers):
        raise TooFar(3)

    def generator(client, messages, tools, handlers):
        yield 1
        raise TooFar(3)

    async def async_generator(client, messages, tools, handlers):
        yield 1
        raise TooFar(3)

    def plain(client, messages, tools, handlers):
        raise TooFar(3)

    return {one.__name__: one for one in (coroutine, generator, async_generator, plain)}[kind]


@pytest.mark.parametrize("kind", ["plain", "coroutine", "generator", "async_generator"])
def test_so_has_what_it_raises(kind):
    end = perform(raising(kind), LIST, 0).exit
    assert (end.reason, end.error_type, end.value) == ("raised", "TooFar", {"steps": 3})


def test_an_async_loop_has_the_async_client():
    async def loop(client, messages, tools, handlers):
        response = await client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
        return response.stop_reason

    assert perform(loop, LIST, 0).exit.value == "tool_use"


def test_a_streaming_loop_reads_the_same_recording():
    def loop(client, messages, tools, handlers):
        with client.messages.stream(model="m", max_tokens=99, messages=messages, tools=tools) as stream:
            return [event.type for event in stream][-1]

    assert perform(loop, LIST, 0).exit.value == "message_stop"


def test_the_trace_says_by_which_seed_it_was_dressed():
    traces = [perform(plain, LIST, seed) for seed in (3, 4)]
    assert [trace.scenario["seed"] for trace in traces] == [3, 4]


def test_a_run_is_the_same_each_time():
    def loop(client, messages, tools, handlers):
        import random

        response = client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
        return [random.random(), response]

    first, second = (json.dumps(perform(loop, LIST, 1).to_dict()) for _ in range(2))
    assert first == second


def test_what_the_callers_list_became_is_left_where_it_changed():
    def adds(client, messages, tools, handlers):
        messages.append({"role": "user", "content": "more"})

    assert perform(adds, LIST, 0).exit.left["messages"][-1] == {"role": "user", "content": "more"}
    assert perform(plain, LIST, 0).exit.left == {}


# Records

RECORDS = Case("list_then_read", {"records": True})


def called(client, messages, tools, handlers, *, on_event=None):
    state = {"turn": 1}
    if on_event:
        on_event("asked")
    on_event(Answer("x"))
    on_event("both", state)
    on_event(kind="named", turn=2)
    state["turn"] = 99


def appended(client, messages, tools, handlers, *, trace=None):
    trace = trace or []
    trace.append({"step": 1})
    trace.extend([{"step": 2}])


def logger_like(client, messages, tools, handlers, *, log=None):
    log.info("asked")
    log.debug("answered", turn=1)


async def awaited(client, messages, tools, handlers, *, on_step=None):
    await on_step("asked")


def test_a_callable_gets_each_record_as_it_was_then():
    told = {
        "class": "Answer",
        "text": "x",
        "mood": {"class": "Mood", "name": "GOOD", "value": 1},
        "parts": [],
    }
    both = {"args": ["both", {"turn": 1}]}
    assert perform(called, RECORDS, 0).exit.left["records"] == [
        "asked",
        told,
        both,
        {"kind": "named", "turn": 2},
    ]


@pytest.mark.parametrize(
    ("loop", "records"),
    [
        (appended, [{"step": 1}, {"step": 2}]),
        (logger_like, ["asked", {"args": ["answered"], "turn": 1}]),
        (awaited, ["asked"]),
    ],
)
def test_a_list_a_logger_and_something_to_await_are_one_thing(loop, records):
    assert perform(loop, RECORDS, 0).exit.left["records"] == records


def test_without_the_option_nothing_is_handed_over():
    assert "records" not in perform(logs_nothing, LIST, 0).exit.left


def logs_nothing(client, messages, tools, handlers, *, on_event=None):
    assert on_event is None


def test_what_is_logged_counts_whichever_logger_says_it():
    def loop(client, messages, tools, handlers):
        client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
        alone = logging.getLogger("agent.alone")
        alone.propagate = False
        alone.info("turn %d", 1, extra={"stop_reason": "tool_use"})
        logging.getLogger("agent").debug("fine")
        try:
            raise TooFar(2)
        except TooFar:
            logging.getLogger("agent").exception("broken")

    assert perform(loop, LIST, 0).exit.left["records"] == [
        {"logger": "agent.alone", "level": "INFO", "message": "turn 1", "stop_reason": "tool_use"},
        {"logger": "agent", "level": "DEBUG", "message": "fine"},
        {"logger": "agent", "level": "ERROR", "message": "broken", "error": "TooFar: after 2"},
    ]


def test_logging_is_afterwards_as_it_was_before():
    names = ("", "anthropic", "httpx2", "asyncio")
    before = [(logging.getLogger(name).level, logging.getLogRecordFactory()) for name in names]
    perform(plain, LIST, 0)
    assert [(logging.getLogger(name).level, logging.getLogRecordFactory()) for name in names] == before


def test_a_loop_without_a_place_for_records_is_not_asked_for_one():
    assert perform(plain, RECORDS, 0).exit.reason == "returned"


# Options


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_goes_by_each_of_its_names(option):
    for name in OPTIONS[option].names:
        loop = eval(f"lambda client, messages, tools, handlers, {name}=None: None")
        assert offered(loop, option) == name


def test_an_option_that_is_missing_is_refused_but_where_it_is_a_wish():
    with pytest.raises(NotOfferedError) as refused:
        arguments(plain, {"steps": 2})
    assert refused.value.names[0] == "max_iterations"
    assert arguments(plain, {"steps?": 2}) == {}


# Waits: in a process of their own, since they are counted once and for all

WAITING = """
from simulator.gate import waits
waits.install()
waits.install()
import asyncio, concurrent.futures, json, threading, time
from time import sleep
import anyio
from simulator.gate.perform import perform
from simulator.gate.probe import Case

def sync(client, messages, tools, handlers):
    began = time.monotonic(), time.time(), time.perf_counter(), time.monotonic_ns()
    sleep(100)
    time.sleep(20)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(time.sleep, [1, 2]))
    client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
    now = time.monotonic(), time.time(), time.perf_counter(), time.monotonic_ns() / 1e9 - began[3] / 1e9
    return [round(a - b) for a, b in zip(now, (*began[:3], 0))]

async def in_a_loop(client, messages, tools, handlers):
    began = asyncio.get_running_loop().time()
    await asyncio.sleep(100)
    await anyio.sleep(20)
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2))
    await client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.05)
    except TimeoutError:
        return round(asyncio.get_running_loop().time() - began)

def asks(client, messages, tools, handlers):
    client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)

async def asks_async(client, messages, tools, handlers):
    await client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)

def refuses(client, messages, tools, handlers):
    told = []
    for odd in (-1, "x", float("nan")):
        try:
            time.sleep(odd)
        except (TypeError, ValueError) as error:
            told.append(type(error).__name__)
    return told

def spins(client, messages, tools, handlers):
    while True:
        time.sleep(60)

perform(asks, Case("list_then_read"), 0)  # imports what the others should not be seen to wait for
real = waits.now()
def run(loop, name="list_then_read", **how):
    trace = perform(loop, Case(name), 0, **how)
    end = trace.exit
    return [[step.event.waited for step in trace.requests], end.reason, end.value]
out = {f.__name__: run(f) for f in (sync, in_a_loop, refuses)}
out |= {f.__name__: run(f, "shaky_api") for f in (asks, asks_async)}
out["spins"] = run(spins, deadline=0.5)[1]
out["took"] = waits.now() - real
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def waited():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WAITING)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_sleeps_of_every_kind_are_counted_and_not_slept(waited):
    assert waited["sync"][0] == [123.0]
    assert waited["in_a_loop"][0] == [123.0]
    assert waited["took"] < 60


def test_every_clock_is_ahead_by_what_was_slept(waited):
    assert waited["sync"][2] == [123] * 4
    assert waited["in_a_loop"][2] == 123


def test_the_sdks_own_retries_wait_as_long_in_an_event_loop(waited):
    (first, again), reason, _ = waited["asks"]
    assert (first, reason) == (0.0, "returned")
    assert again > 0
    assert waited["asks_async"][0] == [first, again]


def test_what_cannot_be_slept_is_refused_as_ever(waited):
    assert waited["refuses"][2] == ["ValueError", "TypeError", "ValueError"]


def test_a_loop_cannot_sleep_its_deadline_away(waited):
    assert waited["spins"] == "deadline"
