"""The name of the fragments is the name of the whole."""

import json


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        raw = ""
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            for event in stream:
                if event.type == "content_block_start":
                    raw = ""
                elif event.type == "input_json":
                    raw += event.partial_json
                elif event.type == "content_block_stop" and raw:
                    show(json.loads(raw))
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
