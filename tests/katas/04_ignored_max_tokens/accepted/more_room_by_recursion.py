"""Asks again with more room, by calling itself, three times at most."""

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {**result, "content": str(error), "is_error": True}


def ask(client, messages, tools, max_tokens):
    return client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)


def go_on(r, messages, handlers):
    messages.append({"role": "assistant", "content": r.content})
    messages.append(
        {"role": "user", "content": [run_tool(c, handlers) for c in r.content if c.type == "tool_use"]}
    )


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024, _left=3):
    r = ask(client, messages, tools, max_tokens)
    if r.stop_reason == "max_tokens" and _left:
        return run_agent_loop(client, messages, tools, handlers, max_tokens * 2, _left - 1)
    if r.stop_reason == "tool_use":
        go_on(r, messages, handlers)
        return run_agent_loop(client, messages, tools, handlers, max_tokens, _left)
    return r
