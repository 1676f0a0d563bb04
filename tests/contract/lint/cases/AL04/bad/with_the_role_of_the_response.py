# finds: AL04 at line 20
"""Copies the role from the response, for both turns."""


def answer(client, messages, tools, handlers, depth=0, deepest=20):
    if depth == deepest:
        raise RecursionError("no answer")
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
    )
    if response.stop_reason != "tool_use":
        return response
    turn = {"role": response.role, "content": response.content}
    found = [
        {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
        for call in response.content
        if call.type == "tool_use"
    ]
    reply = {
        "role": response.role,
        "content": found,
    }
    return answer(client, [*messages, turn, reply], tools, handlers, depth + 1, deepest)
