# finds: AL13 at line 8
"""A helper parses the delta it is given."""
import json


def on_delta(delta):
    if delta.type == "input_json_delta":
        return json.loads(delta.partial_json)
    return None


async def stream_once(client, messages, tools):
    inputs = []
    async with client.messages.stream(model="m", max_tokens=1000, messages=messages, tools=tools) as stream:
        async for event in stream:
            if event.type == "content_block_delta":
                inputs.append(on_delta(event.delta))
        return await stream.get_final_message(), inputs
