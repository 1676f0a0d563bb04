# finds: AL14 at line 11
"""Whatever was raised: wait, and try again."""

import time


def ask(client, attempts=5, **request):
    for attempt in range(attempts):
        try:
            return client.messages.create(**request)
        except Exception as error:
            if attempt == attempts - 1:
                raise
            print(f"failed ({error}), trying again")
            time.sleep(2**attempt)


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = ask(
            client, model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
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
