# finds: AL07 at line 6
"""A recursion that goes so deep."""


def step(client, messages, tools, handlers, depth=0):
    if depth > 30:
        raise RecursionError(depth)
    response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    if response.stop_reason != "tool_use":
        return response
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in response.content
        if b.type == "tool_use"
    ]
    said = [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    return step(client, messages + said, tools, handlers, depth + 1)
