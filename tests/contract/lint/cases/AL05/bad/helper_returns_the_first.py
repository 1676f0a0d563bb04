# finds: AL05 at line 6
"""A helper that returns from within its loop."""


def run_tools(content, handlers):
    for block in content:
        if block.type != "tool_use":
            continue
        output = handlers[block.name](**block.input)
        return [{"type": "tool_result", "tool_use_id": block.id, "content": output}]
    return []


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": run_tools(response.content, handlers)})
    raise RuntimeError("no answer")
