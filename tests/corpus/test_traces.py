"""Every real recording can be told as a trace, alone and played by a loop, and every trace verifies."""

import pytest

from simulator.recording.cassette import read
from simulator.recording.handlers import ToolFailed
from simulator.trace.document import Trace
from simulator.trace.observe import observe
from tests.trace.made import events

pytestmark = [
    pytest.mark.corpus,
    # Old recordings ask for models that the SDK warns about.
    pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Using Claude with .* and 'thinking.type=enabled':UserWarning"),
]


def recordings(corpus):
    found = sorted((corpus / "cassettes").rglob("*.yaml"))
    assert len(found) == 72
    return found


def plain_loop(client, messages, handlers, scenario):
    """Play any conversation. ``timeout`` tells the SDK that a long answer need not be streamed."""
    first = scenario.request
    given = {key: first[key] for key in ("system", "tools", "tool_choice", "thinking") if key in first}
    while True:
        response = client.messages.create(
            model=scenario.model, max_tokens=scenario.max_tokens, messages=messages, timeout=60, **given
        )
        messages.append({"role": "assistant", "content": response.content})
        results = [result_of(block, handlers) for block in response.content if block.type == "tool_use"]
        if not results:
            return response
        messages.append({"role": "user", "content": results})


def result_of(block, handlers):
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return result | {"content": handlers[block.name](**block.input)}
    except ToolFailed as failure:
        return result | {"content": str(failure), "is_error": True}


def test_every_recording_makes_a_verified_trace_by_itself(corpus, tmp_path):
    for path in recordings(corpus):
        trace = Trace.from_cassette(path)
        trace.verify()
        exchanges = read(path).exchanges
        assert [trace.messages_at(step.n) for step in trace.requests] == [
            exchange.request["messages"] for exchange in exchanges
        ], path.name
        assert [event.status for event in events(trace, "response")] == [each.status for each in exchanges]
        assert trace.exit.reason == "recorded"
        assert Trace.load(trace.save(tmp_path / "trace.json")).to_dict() == trace.to_dict()


def test_a_plain_loop_on_every_recording_makes_a_verified_trace(corpus):
    for path in recordings(corpus):
        trace = observe(plain_loop, path)
        trace.verify()
        assert trace.exit.reason in ("returned", "raised", "off_script", "recording_ends"), path.name
        assert trace.exit.error_type in (
            *(None, "OffScript", "RecordingEnds"),
            *("AuthenticationError", "NotFoundError", "BadRequestError"),
        ), (path.name, trace.exit)
        for response in events(trace, "response"):
            assert response.status != 200 or [e for e in events(trace, "branch") if e.turn == response.turn]
