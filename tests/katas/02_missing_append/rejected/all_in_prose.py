# expects: K02-E4
"""Everything is told in prose, as in the days before tool use."""

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
        for block in response.content:
            if block.type == "tool_use":
                found = run_tool(block, handlers)["content"]
                messages.append({"role": "user", "content": f"{block.name} returned:\n{found}"})
