"""tenacity is told which errors pass."""

import anthropic
from tenacity import retry, retry_if_exception_type, stop_after_attempt


@retry(stop=stop_after_attempt(5), retry=retry_if_exception_type(anthropic.RateLimitError))
def ask(client, messages, tools):
    return client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
    )


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = ask(client, messages, tools)
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
