# finds: AL02 at line 5
"""A recursion without a bottom."""


def step(client, messages, tools, handlers):
    response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    calls = [block for block in response.content if block.type == "tool_use"]
    if not calls:
        return response
    results = [{"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](c.input)} for c in calls]
    said = [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    return step(client, [*messages, *said], tools, handlers)
