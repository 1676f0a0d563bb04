"""asyncio.timeout around the whole loop."""

import asyncio


async def run(client, messages, tools, handlers, seconds: float = 120):
    async with asyncio.timeout(seconds):
        while True:
            response = await client.messages.create(model="m", max_tokens=1024, tools=tools, messages=messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = await asyncio.gather(*(call(b, handlers) for b in response.content if b.type == "tool_use"))
            messages.append({"role": "user", "content": results})


async def call(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": await handlers[block.name](**block.input)}
