# finds: AL05 at line 12
"""The list is made, and its first is run."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        tool_calls = [c for c in response.content if c.type == "tool_use"]
        if response.stop_reason != "tool_use":
            return response
        name, arguments = tool_calls[0].name, tool_calls[0].input
        messages.append(
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": tool_calls[0].id, "content": handlers[name](**arguments)}],
            }
        )
    raise TimeoutError
