# expects: K02-E5
"""Results first, then what they are results of."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [run_tool(b, handlers) for b in response.content if b.type == "tool_use"]
        messages.append({"role": "user", "content": results})
        messages.append({"role": "assistant", "content": response.content})
