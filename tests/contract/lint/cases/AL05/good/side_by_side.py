"""Calls of a turn run side by side in a task group."""

import asyncio
import os

from anthropic import AsyncAnthropic

MAX_TURNS = int(os.environ.get("MAX_TURNS", "25"))


async def call_tool(block, registry):
    try:
        value = await registry[block.name](**block.input)
    except Exception as error:
        return {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": f"{type(error).__name__}: {error}",
            "is_error": True,
        }
    return {"type": "tool_result", "tool_use_id": block.id, "content": str(value)}


async def run(client: AsyncAnthropic, prompt: str, tools, registry):
    messages = [{"role": "user", "content": prompt}]
    for turn in range(MAX_TURNS):
        response = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=4096, tools=tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(call_tool(block, registry))
                for block in response.content
                if block.type == "tool_use"
            ]
        messages.append({"role": "user", "content": [task.result() for task in tasks]})
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")
