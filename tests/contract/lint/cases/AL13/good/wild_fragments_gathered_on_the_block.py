import json


async def blocks_of(stream):
    blocks, current = [], None
    async for event in stream:
        if event.type == "content_block_start":
            current = event.content_block
        elif event.type == "content_block_delta":
            if event.delta.type == "text_delta":
                current.text += event.delta.text
            elif event.delta.type == "input_json_delta":
                if not hasattr(current, "partial_json"):
                    current.partial_json = ""
                current.partial_json += event.delta.partial_json
        elif event.type == "content_block_stop":
            if hasattr(current, "partial_json"):
                current.input = json.loads(current.partial_json)
                delattr(current, "partial_json")
            blocks.append(current)
            current = None
    return blocks
