"""An object from elsewhere holds the conversation."""

from memory import Memory


async def run(client, memory: Memory, tools, handlers, max_turns):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=memory.messages(), tools=tools)
        memory.said(reply)
        if reply.stop_reason != "tool_use":
            return reply
        for part in reply.content:
            if part.type == "tool_use":
                memory.answered(part.id, await handlers[part.name](**part.input))
    raise TimeoutError
