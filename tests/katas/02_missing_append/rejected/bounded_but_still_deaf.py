# expects: K02-E1
"""A bound on the loop: it ends now, with nothing learned."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run_agent_loop(client, messages, tools, handlers):
    for _ in range(5):
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                run_tool(block, handlers)
    return response
