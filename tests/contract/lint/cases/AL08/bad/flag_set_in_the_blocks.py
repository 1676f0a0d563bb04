# finds: AL08 at line 18
"""A flag says whether a block was a call; without one the text is the answer."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        called = False
        results = []
        for block in response.content:
            if block.type == "tool_use":
                called = True
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
        if not called:
            break
        messages.append({"role": "user", "content": results})
    return "\n".join(block.text for block in response.content if block.type == "text")
