"""Another model when one is overloaded."""

import anthropic

MODELS = ("claude-opus-5", "claude-sonnet-5-5", "claude-haiku-5")


def ask(client, **params):
    last = None
    for model in MODELS:
        try:
            return client.messages.create(model=model, **params)
        except (anthropic.RateLimitError, anthropic.InternalServerError) as error:
            last = error
    raise last


def run(client, messages, tools, handlers, max_turns=10):
    for _ in range(max_turns):
        response = ask(client, max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    raise RuntimeError("turns")
