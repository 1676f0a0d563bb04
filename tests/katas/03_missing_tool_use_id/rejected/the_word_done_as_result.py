# expects: K03-E9
"""All ids are right, and no result says what the tool said."""

MODEL = "claude-sonnet-5-5"


def run_tool(id_, name, args, handlers):
    try:
        return {"type": "tool_result", "tool_use_id": id_, "content": handlers[name](**args)}
    except Exception as e:
        return {"type": "tool_result", "tool_use_id": id_, "content": str(e), "is_error": True}


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def calls(r):
    return [b for b in r.content if b.type == "tool_use"]


def loop(client, messages, tools, handlers, make):
    while True:
        r = ask(client, messages, tools)
        if r.stop_reason != "tool_use":
            return r
        res = make(r)
        messages += [{"role": "assistant", "content": r.content}, {"role": "user", "content": res}]


def run_agent_loop(client, messages, tools, handlers):
    def make(r):
        for c in calls(r):
            run_tool(c.id, c.name, c.input, handlers)
        return [{"type": "tool_result", "tool_use_id": c.id, "content": "done"} for c in calls(r)]

    return loop(client, messages, tools, handlers, make)
