# finds: AL06 at line 18
"""The id of the whole answer."""


async def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        message = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message
        results = []
        for block in message.content:
            match block.type:
                case "tool_use":
                    said = await handlers[block.name](**block.input)
                    results.append({"type": "tool_result", "tool_use_id": message.id, "content": said})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
