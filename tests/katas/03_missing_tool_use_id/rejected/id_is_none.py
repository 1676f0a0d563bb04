# expects: K03-E1
"""The key is there, its value is None."""

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
        results = []
        for call in calls:
            said, failed = call_tool(call, handlers)
            id_ = getattr(call, "tool_use_id", None)
            results.append({"type": "tool_result", "tool_use_id": id_, "content": said, "is_error": failed})
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
