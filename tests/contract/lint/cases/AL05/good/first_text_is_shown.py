"""The first block is shown, and every call is run."""


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        first = response.content[0]
        if first.type == "text":
            show(first.text)
        if response.stop_reason != "tool_use":
            return response
        calls = filter(lambda block: block.type == "tool_use", response.content)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
