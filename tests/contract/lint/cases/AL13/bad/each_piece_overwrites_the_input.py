# finds: AL13 at line 13
"""A hand-made assembly in which the last fragment is the input."""

import json


def assembled(client, **request):
    blocks, stop_reason = [], None
    for event in client.messages.create(stream=True, **request):
        if event.type == "content_block_start":
            blocks.append(event.content_block.to_dict())
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            blocks[event.index]["input"] = json.loads(event.delta.partial_json)
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            blocks[event.index]["text"] += event.delta.text
        elif event.type == "message_delta":
            stop_reason = event.delta.stop_reason
    return blocks, stop_reason


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
