"""The history has a list for a default; the comments suppress what is no longer there."""

LIMIT = 12


def loop(client, messages=None, tools=(), handlers={}, model="m", max_tokens=4096):
    """Ask until the model is done.

    At most LIMIT times.
    """
    if messages is None:
        messages = []
    tools = list(tools)
    for _ in range(LIMIT):  # noqa: B007
        response = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
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
