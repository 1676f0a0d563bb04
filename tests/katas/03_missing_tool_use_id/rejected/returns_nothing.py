# expects: K03-E7
"""The ids are right; the answer is printed and not returned."""

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
            print(response.content[0].text)
            return
        calls = [block for block in response.content if block.type == "tool_use"]
        results = []
        for call in calls:
            said, failed = call_tool(call, handlers)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": said, "is_error": failed})
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
