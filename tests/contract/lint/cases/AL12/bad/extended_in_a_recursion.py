# finds: AL12 at line 5
"""A default that grows with each step of each run."""


def answer(client, tools, handlers, new, left=20, so_far=list()):
    if not left:
        raise RuntimeError("no answer")
    so_far += new
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=so_far, tools=tools
    )
    if response.stop_reason != "tool_use":
        return response
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in response.content
        if b.type == "tool_use"
    ]
    step = [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    return answer(client, tools, handlers, step, left - 1)
