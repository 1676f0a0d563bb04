"""A `while` that counts up to a figure."""


def loop(client, messages, tools, handlers, *, model="m", max_tokens=4096, max_iterations=12):
    history = [*messages]
    turns = 0
    while turns < max_iterations:
        turns += 1
        reply = client.messages.create(model=model, max_tokens=max_tokens, messages=history, tools=tools)
        history.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason == "tool_use":
            history.append({"role": "user", "content": [answer(call, handlers) for call in calls(reply)]})
        elif reply.stop_reason == "pause_turn":
            continue
        else:
            return reply
    raise TimeoutError(f"no end after {turns} turns")


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
