# finds: AL11 at line 17
"""What the recursion gives back is dropped: a run with tools comes to nothing."""


def step(client, messages, tools, handlers, left):
    if left == 0:
        raise TimeoutError
    response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    if response.stop_reason != "tool_use":
        return response
    messages.append({"role": "assistant", "content": response.content})
    results = []
    for block in response.content:
        if block.type == "tool_use":
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
    messages.append({"role": "user", "content": results})
    step(client, messages, tools, handlers, left - 1)
