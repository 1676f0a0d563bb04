"""One list, whose results are sent and then forgotten."""


def run(client, messages, tools, handlers, limit=20):
    waiting = []
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
                waiting.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": list(waiting)})
        waiting.clear()
    raise RuntimeError("no answer")
