# finds: AL09 at line 15
"""Both in one list, the results first."""


async def run(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason != "tool_use":
            return reply
        results = []
        for part in reply.content:
            if part.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": part.id, "content": await handlers[part.name](part.input)})
        messages += [
            {"role": "user", "content": results},
            {"role": "assistant", "content": reply.content},
        ]
    raise TimeoutError
