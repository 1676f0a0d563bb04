"""Names the errors that pass."""

import asyncio

import anthropic


async def ask(client, request, tries=4):
    for attempt in range(tries):
        try:
            return await client.messages.create(**request)
        except (anthropic.RateLimitError, anthropic.InternalServerError, anthropic.APIConnectionError):
            await asyncio.sleep(2**attempt)
    return await client.messages.create(**request)


async def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        request = {"model": "claude-sonnet-5-5", "max_tokens": 1024, "messages": messages, "tools": tools}
        response = await ask(client, request)
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
