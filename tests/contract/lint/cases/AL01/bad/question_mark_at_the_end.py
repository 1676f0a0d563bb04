# finds: AL01 at line 10
"""A question mark at the end means that the agent waits for the person."""


async def drive(client, messages, tools, handlers, limit):
    for _ in range(limit):
        reply = await client.messages.create(model="m", max_tokens=900, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
        final_text = next((b.text for b in reply.content if b.type == "text"), "")
        if final_text.rstrip().endswith("?") or final_text.startswith("I have finished"):
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](b.input)}
            for b in reply.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise TimeoutError
