"""The history has a list for a default; the comments suppress what is no longer there."""

LIMIT = 12


def loop(client, messages=[], tools=(), handlers={}, model="m", max_tokens=4096):
    """Ask until the model is done.

    At most LIMIT times.
    """
    tools = list(tools)  # loop: ignore[shared-history] it is copied
    for _ in range(LIMIT):  # noqa: B007  # loop: ignore[AL02, AL07] the limit has a name
        response = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        # loop: ignore[AL06] `answer` knows the id
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
