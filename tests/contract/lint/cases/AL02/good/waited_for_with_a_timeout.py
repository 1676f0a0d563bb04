"""The caller gives the whole loop so many seconds."""

import asyncio


async def loop(client, messages, tools, handlers):
    while True:
        response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})


async def main(client, messages, tools, handlers, seconds):
    return await asyncio.wait_for(loop(client, messages, tools, handlers), seconds)
