# finds: AL14 at line 7
"""tenacity's own default: every exception."""

from tenacity import retry, stop_after_attempt, wait_exponential


@retry(stop=stop_after_attempt(5), wait=wait_exponential())
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
