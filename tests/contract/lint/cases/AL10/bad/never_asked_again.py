# finds: AL10 at line 7
"""Everything is kept, and then it returns, one level too far in."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason == "tool_use":
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
            messages.append({"role": "assistant", "content": response.content})
            messages.append({"role": "user", "content": results})
        return response
    raise TimeoutError
