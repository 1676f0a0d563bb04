"""Builds the turn from the raw events."""

import json


def read_turn(stream):
    blocks, partial, stop_reason = [], {}, None
    for event in stream:
        if event.type == "content_block_start":
            blocks.append(event.content_block.model_dump())
            partial[event.index] = ""
        elif event.type == "content_block_delta":
            if event.delta.type == "text_delta":
                blocks[event.index]["text"] += event.delta.text
            elif event.delta.type == "input_json_delta":
                partial[event.index] += event.delta.partial_json
        elif event.type == "content_block_stop":
            if blocks[event.index]["type"] == "tool_use":
                blocks[event.index]["input"] = json.loads(partial[event.index] or "{}")
        elif event.type == "message_delta":
            stop_reason = event.delta.stop_reason
    return blocks, stop_reason


def run(client, messages, tools, handlers, max_turns=16):
    for _ in range(max_turns):
        stream = client.messages.create(model="m", max_tokens=2000, tools=tools, messages=messages, stream=True)
        blocks, stop_reason = read_turn(stream)
        messages.append({"role": "assistant", "content": blocks})
        if stop_reason != "tool_use":
            return blocks, stop_reason
        results = []
        for block in blocks:
            if block["type"] == "tool_use":
                results.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": block["id"],
                        "content": json.dumps(handlers[block["name"]](**block["input"])),
                    }
                )
        messages.append({"role": "user", "content": results})
    raise TimeoutError(max_turns)
