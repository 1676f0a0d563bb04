"""Fragments are added up, and parsed where the block ends."""

import json


def assembled(client, **request):
    blocks, fragments, stop_reason = {}, {}, None
    for event in client.messages.create(stream=True, **request):
        if event.type == "content_block_start":
            blocks[event.index] = event.content_block.to_dict()
            fragments[event.index] = ""
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            fragments[event.index] += event.delta.partial_json
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            blocks[event.index]["text"] += event.delta.text
        elif event.type == "content_block_stop" and fragments[event.index]:
            blocks[event.index]["input"] = json.loads(fragments[event.index])
        elif event.type == "message_delta":
            stop_reason = event.delta.stop_reason
    return list(blocks.values()), stop_reason


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        content, stop_reason = assembled(
            client, model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": content})
        if stop_reason != "tool_use":
            return content, stop_reason
        results = [
            {"type": "tool_result", "tool_use_id": b["id"], "content": handlers[b["name"]](**b["input"])}
            for b in content
            if b["type"] == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
