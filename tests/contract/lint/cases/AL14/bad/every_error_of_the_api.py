# finds: AL14 at line 15
"""APIError is a 401, too."""

import asyncio

import anthropic


async def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        try:
            response = await client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
            )
        except anthropic.APIError:
            await asyncio.sleep(5)
            continue
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                said = await handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": said})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
