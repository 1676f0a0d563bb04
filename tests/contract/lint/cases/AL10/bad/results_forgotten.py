# finds: AL10 at line 7
"""The answer is kept, the results are not."""


async def run(client, messages, tools, handlers, budget):
    while budget.left():
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return reply
        results = []
        for part in reply.content:
            if part.type == "tool_use":
                output = await handlers[part.name](**part.input)
                results.append({"type": "tool_result", "tool_use_id": part.id, "content": output})
    raise TimeoutError
