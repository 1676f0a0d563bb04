# finds: AL03 at line 10
"""An async helper that turns every failure into None."""

import asyncio


async def perform(call, functions):
    try:
        return await functions[call.name](**call.input)
    except Exception as error:
        print(f"{call.name}: {error}")
        return None


async def converse(client, messages, tools, functions, max_rounds=10):
    for _ in range(max_rounds):
        message = await client.messages.create(
            model="claude-opus-5", max_tokens=1500, messages=messages, tools=tools
        )
        messages += [{"role": "assistant", "content": message.content}]
        if message.stop_reason != "tool_use":
            return message
        calls = [block for block in message.content if block.type == "tool_use"]
        outputs = await asyncio.gather(*(perform(call, functions) for call in calls))
        messages += [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call.id, "content": str(output)}
                    for call, output in zip(calls, outputs, strict=True)
                ],
            }
        ]
    raise RuntimeError("no answer within max_rounds")
