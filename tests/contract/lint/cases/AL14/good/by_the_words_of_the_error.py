"""Goes by what the error says, in a name of its own."""

import time


def ask(client, attempts=4, **request):
    for attempt in range(attempts):
        try:
            return client.messages.create(**request)
        except Exception as error:
            said = str(error).lower()
            passes = "overloaded" in said or "rate limit" in said
            if not passes or attempt == attempts - 1:
                raise
            print(f"busy: {error}")
            time.sleep(2**attempt)
    raise RuntimeError("no attempt was made")


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
