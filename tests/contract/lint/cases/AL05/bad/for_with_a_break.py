# finds: AL05 at line 13
"""A loop over the blocks that stops at the first call."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                result = {"type": "tool_result", "tool_use_id": block.id, "content": output}
                messages.append({"role": "user", "content": [result]})
                break
    raise RuntimeError("no answer")
