"""gather with return_exceptions, zipped with the calls."""

import asyncio


async def run(client, messages, tools, handlers, max_turns, at_once=5):
    gate = asyncio.Semaphore(at_once)

    async def guarded(call):
        async with gate:
            return await asyncio.wait_for(handlers[call.name](**call.input), timeout=30)

    for _ in range(max_turns):
        response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [b for b in response.content if b.type == "tool_use"]
        outputs = await asyncio.gather(*map(guarded, calls), return_exceptions=True)
        content = []
        for call, output in zip(calls, outputs, strict=True):
            failed = isinstance(output, BaseException)
            content.append(
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": f"{type(output).__name__}: {output}" if failed else str(output),
                    "is_error": failed,
                }
            )
        messages.append({"role": "user", "content": content})
    raise RuntimeError("max_turns")
