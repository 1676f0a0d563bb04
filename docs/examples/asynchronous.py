"""An async loop: an ``async def`` gets the asynchronous client and is awaited."""

import asyncio


async def loop(client, messages, tools, handlers, max_iterations=20):
    """Run the calls of one answer side by side, and keep their order."""
    messages = list(messages)
    for _ in range(max_iterations):
        response = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=4096, tools=tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        results = await asyncio.gather(*(run(call, handlers) for call in calls))
        messages.append({"role": "user", "content": list(results)})
    raise RuntimeError(f"no answer within {max_iterations} requests")


async def run(call, handlers):
    """Return the result of one call."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        content = await asyncio.to_thread(lambda: handlers[call.name](**call.input))
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error}", "is_error": True}
    return result | {"content": str(content)}
