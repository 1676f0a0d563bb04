"""A check of the caller looks at the finished answer."""


async def run(client, messages, tools, handlers, check, rounds=3, turns=20):
    for _ in range(turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [b for b in reply.content if b.type == "tool_use"]
        if not calls:
            problem = check("".join(b.text for b in reply.content if b.type == "text"))
            if problem is None or rounds == 0:
                return reply, problem
            rounds -= 1
            messages.append({"role": "user", "content": f"Not yet: {problem}"})
            continue
        results = [
            {"type": "tool_result", "tool_use_id": c.id, "content": await handlers[c.name](**c.input)} for c in calls
        ]
        messages.append({"role": "user", "content": results})
    raise TimeoutError
