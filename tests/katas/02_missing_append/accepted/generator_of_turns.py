"""A generator produces what has to be appended."""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def what_happened(response, handlers):
    yield {"role": "assistant", "content": response.content}
    yield {"role": "user", "content": [run_tool(b, handlers) for b in response.content if b.type == "tool_use"]}


def run_agent_loop(client, messages, tools, handlers):
    while (response := client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)).stop_reason == "tool_use":
        messages.extend(what_happened(response, handlers))
    return {"answer": response.content[0].text, "turns": len(messages)}
