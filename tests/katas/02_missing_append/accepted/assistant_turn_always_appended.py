"""Each result in a user turn of its own: the API joins neighbours of one role."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run_agent_loop(client, messages, tools, handlers):
    response = None
    while response is None or response.stop_reason == "tool_use":
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        for block in response.content:
            if block.type == "tool_use":
                messages.append({"role": "user", "content": [run_tool(block, handlers)]})
    return response
