"""A streaming loop, at most so often."""


def loop(client, messages, tools, handlers, model="m", max_tokens=4096, *, max_iterations=12):
    messages = list(messages)
    for _ in range(max_iterations):
        with client.messages.stream(
            model=model, max_tokens=max_tokens, messages=messages, tools=tools
        ) as stream:
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [answer(call, handlers) for call in calls(response)]})
    raise RuntimeError("no end")


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
