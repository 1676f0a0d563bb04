"""Somebody outside can stop it."""

import threading


def run(client, messages, tools, handlers, stop: threading.Event):
    while not stop.is_set():
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
        messages.append({"role": "user", "content": results})
    return None
