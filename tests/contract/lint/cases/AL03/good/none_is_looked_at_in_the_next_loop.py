"""None stands for a failure, and each None is told as an error."""
import asyncio


async def call(handlers, block):
    try:
        return await handlers[block.name](**block.input)
    except Exception:
        return None


async def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [b for b in response.content if b.type == "tool_use"]
        outputs = await asyncio.gather(*[call(handlers, c) for c in calls])
        results = []
        for c, output in zip(calls, outputs, strict=True):
            if output is None:
                result = {"type": "tool_result", "tool_use_id": c.id, "content": "the tool failed"}
                result["is_error"] = True
            else:
                result = {"type": "tool_result", "tool_use_id": c.id, "content": output}
            results.append(result)
        messages.append({"role": "user", "content": results})
    raise TimeoutError
