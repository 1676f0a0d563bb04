# finds: AL10 at line 16
"""Each request begins with the question and holds the last round, no other."""


def run(client, messages, tools, handlers, max_turns=20):
    question = list(messages)
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if r.stop_reason != "tool_use":
            return r
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in r.content
            if b.type == "tool_use"
        ]
        messages = [
            *question,
            {"role": "assistant", "content": r.content},
            {"role": "user", "content": results},
        ]
    raise TimeoutError
