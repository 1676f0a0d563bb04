"""Only server tools; a pause is gone on with, a bounded number of times."""

import anthropic

TOOLS = [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}]


def research(client: anthropic.Anthropic, question: str, max_continuations: int = 5):
    messages = [{"role": "user", "content": question}]
    response = client.messages.create(model="m", max_tokens=4000, messages=messages, tools=TOOLS)
    continuations = 0
    while response.stop_reason == "pause_turn" and continuations < max_continuations:
        messages.append({"role": "assistant", "content": response.content})
        response = client.messages.create(model="m", max_tokens=4000, messages=messages, tools=TOOLS)
        continuations += 1
    return response
