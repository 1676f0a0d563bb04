# finds: AL04 at line 10
"""A generator makes the turns of a round."""

ROLE = "system"


def round_of(response, handlers):
    yield {"role": "assistant", "content": response.content}
    yield {
        "role": ROLE,
        "content": [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ],
    }


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        if response.stop_reason != "tool_use":
            return response
        messages.extend(round_of(response, handlers))
    raise RuntimeError("no answer")
