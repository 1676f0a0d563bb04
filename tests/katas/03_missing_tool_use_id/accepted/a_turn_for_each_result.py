"""Each result in a user turn of its own; the API merges them."""

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    try:
        return {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
    except Exception as e:
        return {"type": "tool_result", "tool_use_id": call.id, "content": f"Error: {e}", "is_error": True}


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def run_agent_loop(client, messages, tools, handlers):
    while True:
        r = ask(client, messages, tools)
        messages.append({"role": "assistant", "content": r.content})
        if r.stop_reason != "tool_use":
            return r
        for c in r.content:
            if c.type == "tool_use":
                messages.append({"role": "user", "content": [run_tool(c, handlers)]})
