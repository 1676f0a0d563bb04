"""A recursion that counts down."""


async def step(client, messages, tools, handlers, *, left):
    if left <= 0:
        raise RecursionError("no turns left")
    reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    if reply.stop_reason != "tool_use":
        return reply
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
        for b in reply.content
        if b.type == "tool_use"
    ]
    said = [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
    return await step(client, messages + said, tools, handlers, left=left - 1)
