# finds: AL08 at line 15
"""No calls: that is the answer; a break, and the text behind the loop."""


async def run(client, messages, tools, handlers, budget):
    while not budget.spent():
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        calls = [part for part in reply.content if part.type == "tool_use"]
        if not calls:
            break
        results = []
        for call in calls:
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": await handlers[call.name](call.input)})
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
    return "\n".join(part.text for part in reply.content if part.type == "text")
