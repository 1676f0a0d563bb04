# expects: K04-E12
"""The whole answer of the second attempt is put behind the half of the first."""

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {**result, "content": str(error), "is_error": True}


def text_of(r):
    return "".join(b.text for b in r.content if b.type == "text")


def ask(client, messages, tools, max_tokens):
    return client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)


def go_on(r, messages, handlers):
    messages.append({"role": "assistant", "content": r.content})
    messages.append(
        {"role": "user", "content": [run_tool(c, handlers) for c in r.content if c.type == "tool_use"]}
    )


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    text = ""
    for room in (1024, 4096, 16384):
        r = ask(client, messages, tools, room)
        while r.stop_reason == "tool_use":
            go_on(r, messages, handlers)
            r = ask(client, messages, tools, room)
        text += text_of(r)
        if r.stop_reason == "end_turn":
            return text
    return text + "[truncated]"
