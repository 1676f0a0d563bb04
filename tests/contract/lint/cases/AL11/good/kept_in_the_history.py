"""The last turn is in the caller's list when the function ends."""


async def run(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason == "end_turn":
            break
        if reply.stop_reason != "tool_use":
            raise RuntimeError(reply.stop_reason)
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
            for b in reply.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
