"""A `for` whose limit is a figure."""


def loop(client, messages, tools, handlers, model="m", max_tokens=4096):
    """Ask, run the calls, ask again; at most so often."""
    history = list(messages)
    for _ in range(12):
        response = client.messages.create(
            model=model, max_tokens=max_tokens, messages=history, tools=tools
        )
        history.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        history.append({"role": "user", "content": [answer(call, handlers) for call in calls(response)]})
    raise RuntimeError("no end")


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
