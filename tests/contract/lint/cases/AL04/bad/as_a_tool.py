# finds: AL04 at line 18
"""The role of another API, for blocks of this one."""


async def run(client, history, tools, handlers, limit=20):
    for _ in range(limit):
        reply = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=history, tools=tools
        )
        history.append(dict(role="assistant", content=reply.content))
        if reply.stop_reason != "tool_use":
            return reply
        outcomes = []
        for block in reply.content:
            if block.type == "tool_use":
                said = await handlers[block.name](**block.input)
                outcomes.append(dict(type="tool_result", tool_use_id=block.id, content=said))
        history.append(dict(role="tool", content=outcomes))
    raise RuntimeError("no answer")
