"""A new list for each request; the caller's list stays as it was."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run_agent_loop(client, messages, tools, handlers):
    history = tuple(messages)
    for _ in range(50):
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=list(history), tools=tools)
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        history += (
            {"role": "assistant", "content": response.content},
            {"role": "user", "content": [run_tool(call, handlers) for call in calls]},
        )
    raise RuntimeError("fifty requests and no answer")
