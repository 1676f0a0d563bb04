# finds: AL06 at line 6
"""The id is there, under the key of another API."""


def result_of(block, handlers):
    return {
        "type": "tool_result",
        "tool_call_id": block.id,
        "content": handlers[block.name](**block.input),
    }


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [result_of(block, handlers) for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
