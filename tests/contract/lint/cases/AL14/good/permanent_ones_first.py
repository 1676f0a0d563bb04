"""What is permanent is caught first, and raised."""

import time

import anthropic


def ask(client, tries=4, **request):
    for attempt in range(tries):
        try:
            return client.messages.create(**request)
        except (
            anthropic.BadRequestError,
            anthropic.AuthenticationError,
            anthropic.PermissionDeniedError,
            anthropic.NotFoundError,
        ):
            raise
        except anthropic.APIError:
            if attempt == tries - 1:
                raise
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
