"""Results as words of the loop's own, and a tool that fails is told to the model."""

MODEL = "claude-sonnet-5-5"


def observe(call, handlers):
    try:
        return f"Tool {call.name} says:\n{handlers[call.name](**call.input)}", False
    except Exception as error:
        return f"Tool {call.name} failed: {error}", True


def run_agent_loop(client, messages, tools, handlers, max_iterations=20):
    for _ in range(max_iterations):
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        calls = [block for block in response.content if block.type == "tool_use"]
        if response.stop_reason != "tool_use":
            return response
        results = []
        for call in calls:
            text, failed = observe(call, handlers)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed})
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
