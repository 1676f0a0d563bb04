# expects: K02-E7
"""Only the calls of the model's turn go back, without its words."""

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
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        messages.append({"role": "assistant", "content": calls})
        messages.append({"role": "user", "content": [run_tool(call, handlers) for call in calls]})
