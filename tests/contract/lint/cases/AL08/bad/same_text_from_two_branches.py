# finds: AL08 at line 12
"""Two branches that give back the same."""


def step(client, messages, tools, handlers, left):
    if not left:
        raise TimeoutError
    r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    if r.stop_reason == "end_turn":
        return r.content[0].text
    if r.stop_reason == "max_tokens":
        return r.content[0].text
    if r.stop_reason != "tool_use":
        raise RuntimeError(r.stop_reason)
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in r.content
        if b.type == "tool_use"
    ]
    said = [{"role": "assistant", "content": r.content}, {"role": "user", "content": results}]
    return step(client, messages + said, tools, handlers, left - 1)
