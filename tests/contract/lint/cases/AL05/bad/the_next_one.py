# finds: AL05 at line 13
"""next() finds the first call, and nobody asks for a second."""


async def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        call = next(block for block in response.content if block.type == "tool_use")
        said = await handlers[call.name](**call.input)
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": said}]}
        )
    raise RuntimeError("no answer")
