# finds: AL13 at line 15
"""Tries each fragment, and forgets those that do not parse."""

import json


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            for event in stream:
                if event.type == "input_json":
                    try:
                        show(json.loads(event.partial_json))
                    except json.JSONDecodeError:
                        pass
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
