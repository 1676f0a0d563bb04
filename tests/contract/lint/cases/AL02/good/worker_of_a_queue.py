"""A worker drains a queue; each job has a bounded run."""

import asyncio


async def worker(queue: asyncio.Queue, client, tools, handlers, results, max_turns):
    while True:
        job = await queue.get()
        try:
            results[job.id] = await run(client, job.messages, tools, handlers, max_turns)
        except Exception as error:
            results[job.id] = error
        finally:
            queue.task_done()


async def run(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [await handlers.run(b) for b in response.content if b.type == "tool_use"]})
    raise RuntimeError("max_turns")
