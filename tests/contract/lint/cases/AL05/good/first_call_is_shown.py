"""The first call is shown while all of them run."""


def preview(name, given):
    return f"{name}({', '.join(given)})"


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        first = next(iter(calls))
        show(preview(first.name, first.input))
        results = []
        while calls:
            call = calls.pop(0)
            output = handlers[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
