"""A function that calls itself, so deep and no deeper."""

DEPTH = 12


def loop(client, messages, tools, handlers, model="m", max_tokens=4096):
    return step(client, list(messages), tools, handlers, model, max_tokens, 0)


def step(client, messages, tools, handlers, model, max_tokens, depth):
    if depth >= DEPTH:
        raise RuntimeError("no end")
    response = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
    messages.append({"role": "assistant", "content": response.content})
    if response.stop_reason != "tool_use":
        return response
    messages.append({"role": "user", "content": [answer(call, handlers) for call in calls(response)]})
    return step(client, messages, tools, handlers, model, max_tokens, depth + 1)


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
