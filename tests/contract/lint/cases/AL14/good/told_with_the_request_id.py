"""The SDK retries; the loop only raises."""

from anthropic import Anthropic, APIStatusError


def solve(client: Anthropic, task, tools, handlers, max_turns=20):
    api = client.with_options(max_retries=5, timeout=120)
    messages = [{"role": "user", "content": task}]
    for _ in range(max_turns):
        try:
            response = api.messages.create(model="m", max_tokens=2000, tools=tools, messages=messages)
        except APIStatusError as error:
            raise RuntimeError(f"request {error.request_id} failed: {error.status_code}") from error
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers.answer(b) for b in response.content if b.type == "tool_use"]})
    raise RuntimeError("max turns")
