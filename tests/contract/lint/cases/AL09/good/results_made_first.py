"""The tools run first; what is kept is kept in order."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        turn = {"role": "user", "content": []}
        for b in r.content:
            if b.type == "tool_use":
                turn["content"].append({"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)})
        if not turn["content"]:
            return r
        messages.append({"role": "assistant", "content": r.content})
        messages.append(turn)
    raise TimeoutError
