"""The reason is told in the output's place: the model can read it."""


def output_of(call, handlers):
    try:
        return str(handlers[call.name](**call.input))
    except Exception as error:
        return f"The tool {call.name} failed: {error}. Try another way."


def loop(client, messages, tools, handlers, limit=20):
    history = [*messages]
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=history, tools=tools
        )
        history.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": output_of(call, handlers)}
            for call in response.content
            if call.type == "tool_use"
        ]
        history.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
