# expects: K03-E2
"""An id of one's own making."""

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
        for number, call in enumerate(calls, 1):
            said, failed = call_tool(call, handlers)
            results.append({"type": "tool_result", "tool_use_id": f"toolu_{number:02}", "content": said, "is_error": failed})
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
