"""What if, observed: the trace says which answer ended otherwise, and what was recorded."""

import asyncio

import pytest

from simulator.trace.document import Trace
from simulator.trace.observe import observe
from tests.trace.made import events
from tests.trace.sample_loops import whole

SIGNALS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "out_of_ink",
)


def streaming(client, messages, tools, handlers):
    with client.messages.stream(
        model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages
    ) as stream:
        return stream.get_final_message()


async def asynchronous(client, messages, tools):
    return await client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages
    )


@pytest.mark.parametrize("signal", SIGNALS)
def test_the_trace_says_what_was_asked_and_what_was_recorded(signal, tmp_path):
    trace = observe(whole, "list_then_read", what_if={1: signal})
    trace.verify()
    first = events(trace, "response")[0]
    assert (first.stop_reason, first.instead_of) == (signal, "tool_use")
    assert trace.scenario["what_if"] == {"1": signal}
    assert trace.what_if == {1: (signal, True)}
    again = Trace.load(trace.save(tmp_path / "trace.json"))
    assert again.to_dict() == trace.to_dict()
    assert again.what_if == trace.what_if


@pytest.mark.parametrize("loop", [streaming, asynchronous])
@pytest.mark.parametrize("signal", SIGNALS)
def test_streams_and_async_loops_meet_it_too(loop, signal):
    trace = observe(loop, "list_then_read", what_if={1: signal})
    assert trace.exit.value["stop_reason"] == signal
    assert events(trace, "response")[0].instead_of == "tool_use"


def test_a_run_as_recorded_says_nothing_of_it():
    trace = observe(whole, "list_then_read")
    assert (trace.what_if, "what_if" in trace.scenario) == ({}, False)
    assert all(response.instead_of is None for response in events(trace, "response"))


def test_an_answer_that_never_comes_changes_nothing_and_the_trace_says_so():
    plain, trace = (observe(whole, "list_then_read", what_if=w) for w in (None, {9: "refusal"}))
    assert trace.what_if == {9: ("refusal", False)}
    assert trace.steps == plain.steps


def test_the_same_run_gives_the_same_bytes(tmp_path):
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        observe(whole, "list_then_read", seed=3, what_if={2: "max_tokens", 1: "pause_turn"}).save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_loop_that_resends_a_pause_comes_to_its_end():
    def resending(client, messages, tools, handlers):
        messages = list(messages)
        while True:
            response = client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages
            )
            messages.append({"role": "assistant", "content": response.content})
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            if results:
                messages.append({"role": "user", "content": results})
            elif response.stop_reason != "pause_turn":
                return response

    for turn in (1, 2, 3):
        trace = observe(resending, "list_then_read", what_if={turn: "pause_turn"})
        trace.verify()
        assert (trace.exit.reason, len(trace.requests)) == ("returned", 4)
        assert trace.exit.value["stop_reason"] == "end_turn"


@pytest.mark.parametrize("what_if", [{0: "refusal"}, {1: ""}, "refusal"])
def test_what_is_no_what_if_is_refused_before_the_loop_runs(what_if):
    with pytest.raises(ValueError, match="what_if"):
        observe(whole, "list_then_read", what_if=what_if)


def test_what_if_works_where_an_event_loop_runs_already():
    async def notebook():
        return observe(asynchronous, "list_then_read", what_if={1: "refusal"})

    assert asyncio.run(notebook()).what_if == {1: ("refusal", True)}
