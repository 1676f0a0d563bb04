"""The first of the calls that are left, as long as there are any."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        left = [block for block in response.content if block.type == "tool_use"]
        results = []
        while left:
            call = left[0]
            output = handlers[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": output})
            left = left[1:]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
