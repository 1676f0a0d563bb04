"""An async loop with a figure in it, and tools that run side by side."""

import asyncio


async def loop(client, messages, tools, handlers, model="m", max_tokens=4096):
    history = list(messages)
    for turn in range(12):
        response = await client.messages.create(
            model=model, max_tokens=max_tokens, messages=history, tools=tools
        )
        history += [{"role": "assistant", "content": response.content}]
        if response.stop_reason != "tool_use":
            return response
        waiting = [asyncio.to_thread(answer, call, handlers) for call in calls(response)]
        history += [{"role": "user", "content": await asyncio.gather(*waiting)}]
    raise RuntimeError(f"no end after {turn} requests")


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
