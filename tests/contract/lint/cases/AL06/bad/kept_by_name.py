# finds: AL06 at line 14
"""Results by the name of the tool: of two calls of one tool, one is left."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = {
            block.name: {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": handlers[block.name](**block.input),
            }
            for block in response.content
            if block.type == "tool_use"
        }
        messages.append({"role": "user", "content": list(results.values())})
    raise RuntimeError("no answer")
