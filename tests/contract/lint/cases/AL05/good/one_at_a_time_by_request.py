"""The API is asked for one call at a time."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=1024,
            messages=messages,
            tools=tools,
            tool_choice={"type": "auto", "disable_parallel_tool_use": True},
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        call = next(block for block in response.content if block.type == "tool_use")
        output = handlers[call.name](**call.input)
        result = {"type": "tool_result", "tool_use_id": call.id, "content": output}
        messages.append({"role": "user", "content": [result]})
    raise RuntimeError("no answer")
