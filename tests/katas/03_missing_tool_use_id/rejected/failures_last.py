# expects: K03-E3
"""Failures are sorted to the end, the ids are not."""

MODEL = "claude-sonnet-5-5"


def call_tool(call, handlers):
    """Return what the tool says, and whether it failed."""
    try:
        return handlers[call.name](**call.input), False
    except Exception as error:
        return str(error), True


def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        outputs = sorted((call_tool(call, handlers) for call in calls), key=lambda output: (output[1], -len(output[0])))
        ids = [call.id for call in reversed(calls)]
        results = [
            {"type": "tool_result", "tool_use_id": id_, "content": said, "is_error": failed}
            for id_, (said, failed) in zip(ids, outputs, strict=True)
        ]
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
