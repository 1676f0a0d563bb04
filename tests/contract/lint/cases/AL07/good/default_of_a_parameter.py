"""The number is the default of a parameter."""


async def run(client, messages, tools, handlers, *, max_turns: int = 30):
    for _ in range(max_turns):
        response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    raise TimeoutError(max_turns)
