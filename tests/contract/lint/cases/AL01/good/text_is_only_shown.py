"""The text is printed where there is some; the signal decides."""


def run(client, messages, tools, handlers, *, turns=20):
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        results = []
        for block in response.content:
            if block.type == "text" and block.text.strip():
                print(block.text)
            elif block.type == "tool_use":
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
    raise TimeoutError(turns)
