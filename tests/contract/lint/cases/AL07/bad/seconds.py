# finds: AL07 at line 10
"""Five minutes, as a number."""

import time


def run(client, messages, tools, handlers):
    began = time.monotonic()
    while True:
        if time.monotonic() - began > 300:
            raise TimeoutError
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        calls = [b for b in response.content if b.type == "tool_use"]
        if not calls:
            return response
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](c.input)} for c in calls]
        messages.append({"role": "user", "content": results})
