import asyncio


async def run(client, tools, messages, rounds):
    for _ in range(rounds):
        message = await client.messages.create(model="m", max_tokens=700, tools=list(tools), messages=messages)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message
        done = asyncio.Queue()
        calls = [block for block in message.content if block.type == "tool_use"]
        worker = asyncio.create_task(work(calls, tools, done))
        results = []
        while True:
            result = await done.get()
            if result is None:
                break
            results.append(result)
        await worker
        messages.append({"role": "user", "content": results})
    raise RuntimeError(f"{rounds} rounds and no answer")


async def work(calls, tools, done):
    for call in calls:
        done.put_nowait({"type": "tool_result", "tool_use_id": call.id, "content": await tools[call.name](call.input)})
    done.put_nowait(None)
