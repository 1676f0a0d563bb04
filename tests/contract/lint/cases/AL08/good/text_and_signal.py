"""The text, with the signal beside it."""


async def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason != "tool_use":
            text = "".join(b.text for b in reply.content if b.type == "text")
            return {"text": text, "truncated": reply.stop_reason == "max_tokens"}
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
            for b in reply.content
            if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
    raise TimeoutError
