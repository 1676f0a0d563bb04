"""An error that names a time to wait keeps it in the trace."""

from simulator.trace.events import Response
from simulator.trace.observe import observe


def test_the_response_has_the_seconds_that_its_header_asked_for() -> None:
    def loop(client, messages, tools, handlers):  # type: ignore[no-untyped-def]  # a loop as anybody writes it
        call = client.messages.create(model="m", max_tokens=1024, messages=messages, tools=tools)
        block = call.content[-1]
        messages.append({"role": "assistant", "content": call.content})
        result = {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": handlers[block.name](**block.input),
        }
        messages.append({"role": "user", "content": [result]})
        client.messages.create(model="m", max_tokens=1024, messages=messages, tools=tools)

    trace = observe(loop, "rate_limited")
    responses = [step.event for step in trace.steps if isinstance(step.event, Response)]
    assert [(one.status, (one.error or {}).get("retry_after")) for one in responses] == [
        (200, None),
        (429, "2"),
    ]
