"""The rounds are kept as pairs, and the conversation is made from them for each request."""

MODEL = "claude-sonnet-5-5"


def result_for(b, out):
    return {"type": "tool_result", "tool_use_id": b.id, "content": out}


def run_agent_loop(client, messages, tools, handlers):
    rounds = []

    def conversation():
        out = list(messages)
        for resp, results in rounds:
            out.append({"role": "assistant", "content": resp.content})
            out.append({"role": "user", "content": results})
        return out

    while True:
        r = client.messages.create(model=MODEL, max_tokens=1024, messages=conversation(), tools=tools)
        if r.stop_reason != "tool_use":
            return r
        rounds.append(
            (r, [result_for(b, handlers[b.name](**b.input)) for b in r.content if b.type == "tool_use"])
        )
