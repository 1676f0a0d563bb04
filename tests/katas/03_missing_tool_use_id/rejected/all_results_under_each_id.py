# expects: K03-E3
"""Each id_ gets everything that any tool said."""

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
        outs = [run_tool(c.id, c.name, c.input, handlers) for c in calls(r)]
        text = "\n".join(o["content"] for o in outs)
        return [{"type": "tool_result", "tool_use_id": o["tool_use_id"], "content": text} for o in outs]

    return loop(client, messages, tools, handlers, make)
