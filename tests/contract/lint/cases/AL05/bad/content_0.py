# finds: AL05 at line 13
"""Takes the call from the front of the content."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        tool_use = response.content[0]
        output = handlers[tool_use.name](**tool_use.input)
        result = {"type": "tool_result", "tool_use_id": tool_use.id, "content": output}
        messages.append({"role": "user", "content": [result]})
    raise RuntimeError("no answer")
