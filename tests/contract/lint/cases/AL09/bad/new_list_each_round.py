# finds: AL09 at line 13
"""A new list each round, put together in the wrong order; a recursion."""


def step(client, messages, tools, handlers, left):
    if left < 1:
        raise TimeoutError
    r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    calls = [b for b in r.content if b.type == "tool_use"]
    if not calls:
        return r
    told = [dict(type="tool_result", tool_use_id=c.id, content=handlers[c.name](**c.input)) for c in calls]
    messages = messages + [{"role": "user", "content": told}] + [{"role": "assistant", "content": r.content}]
    return step(client, messages, tools, handlers, left - 1)
