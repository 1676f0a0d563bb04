"""The first is run, and each of the others gets its result as well: that it was not."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        first, others = calls[0], calls[1:]
        output = handlers[first.name](**first.input)
        results = [{"type": "tool_result", "tool_use_id": first.id, "content": output}]
        for call in others:
            said = "Not run: one call at a time."
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": said, "is_error": True})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
