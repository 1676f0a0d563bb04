"""A conversation is taken up from a file: whose turn is whose stands there."""

import json


def taken_up(path):
    with open(path, encoding="utf-8") as file:
        return [{"role": turn["role"], "content": turn["content"]} for turn in json.load(file)]


async def run(client, path, tools, handlers, limit=20):
    messages = taken_up(path)
    for _ in range(limit):
        response = await client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": response.role, "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                said = await handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": said})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
