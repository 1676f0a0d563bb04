"""Looks at the status."""

import time

import anthropic

PASSING = (408, 409, 429, 500, 502, 503, 504, 529)


def ask(client, attempts=4, **request):
    for attempt in range(attempts):
        try:
            return client.messages.create(**request)
        except anthropic.APIStatusError as error:
            if error.status_code not in PASSING or attempt == attempts - 1:
                raise
            time.sleep(float(error.response.headers.get("retry-after", 2**attempt)))
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
