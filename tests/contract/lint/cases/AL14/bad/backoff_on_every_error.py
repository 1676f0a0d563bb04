# finds: AL14 at line 7
"""backoff on every error of the API."""
import anthropic
import backoff


@backoff.on_exception(backoff.expo, anthropic.APIError, max_tries=8)
def ask(client, messages, tools):
    return client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = ask(client, messages, tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
