# expects: K02-E13
"""The tool is never run, and its result is made up."""

MODEL = "claude-sonnet-5-5"


def result_for(b, out):
    return {"type": "tool_result", "tool_use_id": b.id, "content": out}


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def run_agent_loop(client, messages, tools, handlers):
    while True:
        r = ask(client, messages, tools)
        if r.stop_reason != "tool_use":
            return r
        messages.append({"role": "assistant", "content": r.content})
        messages.append(
            {"role": "user", "content": [result_for(b, "ok") for b in r.content if b.type == "tool_use"]}
        )
