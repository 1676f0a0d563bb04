# expects: K02-E12
"""Results are collected over all rounds in one list, which is sent each time: the second round breaks."""

MODEL = "claude-sonnet-5-5"


def result_for(b, out):
    return {"type": "tool_result", "tool_use_id": b.id, "content": out}


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)


def results_of(r, handlers):
    return [result_for(b, handlers[b.name](**b.input)) for b in r.content if b.type == "tool_use"]


def run_agent_loop(client, messages, tools, handlers):
    results = []
    while True:
        r = ask(client, messages, tools)
        if r.stop_reason != "tool_use":
            return r
        results += results_of(r, handlers)
        messages.append({"role": "assistant", "content": r.content})
        messages.append({"role": "user", "content": results})
