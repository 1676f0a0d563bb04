# finds: AL03 at line 19
"""contextlib.suppress around the tool."""

from contextlib import suppress


def answer(client, messages, tools, handlers, remaining=10):
    if remaining == 0:
        raise RuntimeError("no answer")
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
    )
    if response.stop_reason != "tool_use":
        return response
    results = []
    for block in response.content:
        if block.type == "tool_use":
            result = {"type": "tool_result", "tool_use_id": block.id, "content": "(no output)"}
            with suppress(Exception):
                result["content"] = handlers[block.name](**block.input)
            results.append(result)
    step = [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    return answer(client, [*messages, *step], tools, handlers, remaining - 1)
