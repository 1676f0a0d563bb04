"""The last text is kept to be shown; every call is run."""


def run(client, messages, tools, handlers, show, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        last, results = None, []
        for block in response.content:
            last = block
            if block.type == "tool_use":
                current = block
                results.append(
                    {"type": "tool_result", "tool_use_id": current.id, "content": handlers[current.name](**current.input)}
                )
        show(last)
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": results})
    raise TimeoutError
