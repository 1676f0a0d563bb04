"""A number of tries for one request; the loop has a limit of its own."""

import time

import anthropic


def ask(client, **body):
    for attempt in range(3):
        try:
            return client.messages.create(**body)
        except anthropic.RateLimitError:
            time.sleep(2**attempt)
    return client.messages.create(**body)


def run(client, messages, tools, handlers, budget):
    while budget.allows():
        r = ask(client, model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": r.content})
        if r.stop_reason != "tool_use":
            return r
        results = []
        for block in r.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
