# finds: AL13 at line 18
"""The fragment has a name first."""

import orjson


async def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        async with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            async for event in stream:
                if event.type != "content_block_delta":
                    continue
                delta = event.delta
                if delta.type == "input_json_delta":
                    fragment = delta.partial_json or "{}"
                    show(orjson.loads(fragment))
            response = await stream.get_final_message()
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
