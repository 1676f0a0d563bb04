# expects: K03-E3
"""Functions made in a loop, all of which run the last call."""

MODEL = "claude-sonnet-5-5"


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
        thunks = []
        for c in calls(r):
            thunks.append((c.id, lambda: handlers[c.name](**c.input)))  # noqa: B023
        out = []
        for id_, f in thunks:
            try:
                out.append({"type": "tool_result", "tool_use_id": id_, "content": f()})
            except Exception as e:
                out.append({"type": "tool_result", "tool_use_id": id_, "content": str(e), "is_error": True})
        return out

    return loop(client, messages, tools, handlers, make)
