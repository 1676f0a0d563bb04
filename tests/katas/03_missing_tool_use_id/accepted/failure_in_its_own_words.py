"""A failed tool is told in words of the loop."""

MODEL = "claude-sonnet-5-5"


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def run_agent_loop(client, messages, tools, handlers):
    while True:
        r = ask(client, messages, tools)
        if r.stop_reason != "tool_use":
            return r
        res = []
        for c in r.content:
            if c.type != "tool_use":
                continue
            try:
                res.append(
                    {"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](**c.input)}
                )
            except Exception:
                res.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": c.id,
                        "content": f"The tool {c.name} failed; try something else.",
                        "is_error": True,
                    }
                )
        messages += [{"role": "assistant", "content": r.content}, {"role": "user", "content": res}]
