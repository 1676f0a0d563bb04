"""Ids are taken from the front, in the order of the calls; a cache is kept by name."""

from collections import deque


def run(client, messages, tools, handlers, limit=20):
    last = {}
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        ids = deque(call.id for call in calls)
        results = []
        for call in calls:
            output = handlers[call.name](**call.input)
            last[call.name] = output
            results.append({"type": "tool_result", "tool_use_id": ids.popleft(), "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
