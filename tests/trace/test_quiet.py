"""While the SDK works, nothing is traced; to the loop its client is the same as ever."""

import asyncio
import sys
from collections import Counter

import anthropic
import anthropic._models
import pytest

from simulator.trace.lines import Rest
from simulator.trace.observe import observe
from simulator.trace.quiet import quieten
from tests.trace import shapes
from tests.trace.made import reading

FEW = 30
"""Calls of any kind, ours included, that one event of a stream may cost a tracer. The SDK makes over 100."""

MODELS = anthropic._models.__file__
"""Where the SDK makes an event out of its JSON."""


class Counted:
    """Counts the calls that a tracer is told of."""

    def __init__(self):
        self.calls = Counter()

    def enter(self, frame, event, arg):
        self.calls[frame.f_code.co_filename] += 1

    def run(self, work):
        before = sys.gettrace()
        sys.settrace(self.enter)
        try:
            return work()
        finally:
            sys.settrace(before)


def quiet(client):
    """Return *client* made quiet, and who counts what is traced all the same."""
    counted = Counted()
    # One attribute access makes one bound method: keep it, since it is compared by identity.
    enter = counted.enter = counted.enter
    quieten(client, lambda: Rest(enter))
    return client, counted


def asked(session):
    return {"model": shapes.MODEL, "max_tokens": 1024, "tools": session.tools, "messages": session.messages}


def by_hand(client, session):
    return list(client.messages.create(**asked(session), stream=True))


def by_helper(client, session):
    with client.messages.stream(**asked(session)) as stream:
        return list(stream)


async def later_by_hand(client, session):
    return [event async for event in await client.messages.create(**asked(session), stream=True)]


async def later_by_helper(client, session):
    async with client.messages.stream(**asked(session)) as stream:
        return [event async for event in stream]


@pytest.mark.parametrize("streaming", [by_hand, by_helper])
def test_the_events_of_a_stream_are_the_same_and_next_to_none_of_the_work_on_them_is_traced(streaming):
    client, counted = quiet(reading(2).start().client)
    session = reading(2).start()
    plain = streaming(session.client, session)
    seen = counted.run(lambda: streaming(client, session))
    assert [event.to_dict() for event in seen] == [event.to_dict() for event in plain]
    assert counted.calls.total() < FEW * len(seen)
    assert not counted.calls[MODELS]


@pytest.mark.parametrize("streaming", [later_by_hand, later_by_helper])
def test_so_are_those_of_an_asynchronous_stream(streaming):
    client, counted = quiet(reading(2).start().async_client)
    session = reading(2).start()
    plain = asyncio.run(streaming(session.async_client, session))
    seen = counted.run(lambda: asyncio.run(streaming(client, session)))
    assert [event.to_dict() for event in seen] == [event.to_dict() for event in plain]
    assert not counted.calls[MODELS]


def iterates_without_with(client, messages, tools):
    for _ in client.messages.stream(model=shapes.MODEL, max_tokens=1024, tools=tools, messages=messages):
        pass


def leaves_out_await(client, messages, tools):
    with client.messages.stream(
        model=shapes.MODEL, max_tokens=1024, tools=tools, messages=messages
    ) as stream:
        return asyncio.run(stream.get_final_message())


def asks_as_if_async(client, messages, tools):
    async def run():
        async with client.messages.stream(
            model=shapes.MODEL, max_tokens=1024, tools=tools, messages=messages
        ) as stream:
            return stream

    return asyncio.run(run())


@pytest.mark.parametrize("loop", [iterates_without_with, leaves_out_await, asks_as_if_async])
def test_what_is_done_wrong_with_a_stream_is_told_as_the_sdk_tells_it(loop):
    followed, bare = observe(loop, reading(1)), observe(loop, reading(1), lines=False)
    assert followed.exit.reason == "raised"
    assert (followed.exit.error_type, followed.exit.message) == (bare.exit.error_type, bare.exit.message)


def test_a_stream_that_is_left_early_closes_its_response():
    client, _ = quiet(reading(2).start().client)
    stream = client.messages.create(**asked(reading(2).start()), stream=True)
    assert isinstance(stream, anthropic.Stream)
    next(stream)
    response = stream.response
    stream.close()
    assert response.is_closed


def test_tracing_rests_only_for_the_tracer_that_asks():
    others = Counted()
    resting = Rest(Counted().enter)

    def work():
        with resting:
            by_helper(reading(1).start().client, reading(1).start())

    others.run(work)
    assert others.calls[MODELS]
