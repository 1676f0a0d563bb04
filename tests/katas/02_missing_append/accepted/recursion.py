"""Recursion with dictionaries, and the text of the answer at the end."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run_agent_loop(client, messages, tools, handlers):
    response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
    if response.stop_reason == "end_turn":
        return "".join(block.text for block in response.content if block.type == "text")
    turn = response.model_dump()
    results = [run_tool(block, handlers) for block in response.content if block.type == "tool_use"]
    return run_agent_loop(
        client,
        [*messages, {"role": turn["role"], "content": turn["content"]}, {"role": "user", "content": results}],
        tools,
        handlers,
    )
