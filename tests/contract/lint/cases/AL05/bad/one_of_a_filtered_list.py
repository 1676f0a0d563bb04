# finds: AL05 at line 14
"""All calls are found, and the first is run, in a recursion."""


def answer(client, messages, tools, handlers, left=20):
    if not left:
        raise RuntimeError("no answer")
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
    )
    if response.stop_reason != "tool_use":
        return response
    wanted = [block for block in response.content if block.type == "tool_use"]
    first = wanted[0]
    output = handlers[first.name](**first.input)
    turns = [
        {"role": "assistant", "content": response.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": first.id, "content": output}]},
    ]
    return answer(client, messages + turns, tools, handlers, left - 1)
