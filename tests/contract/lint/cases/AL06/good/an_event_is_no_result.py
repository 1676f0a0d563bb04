"""What a page is told of a result is not the result."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            yield {"type": "done", "stop_reason": response.stop_reason, "content": response.content}
            return
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                yield {"type": "tool_result", "name": block.name, "content": output}
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
