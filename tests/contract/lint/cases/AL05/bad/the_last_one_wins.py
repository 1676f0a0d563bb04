# finds: AL05 at line 12
"""The last call wins, as a name is written over."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        call = None
        for block in response.content:
            if block.type == "tool_use":
                call = block
        result = handlers[call.name](**call.input)
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": result}]})
    raise TimeoutError
