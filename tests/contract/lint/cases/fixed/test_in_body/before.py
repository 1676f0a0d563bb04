"""`while True`, and in it a figure at which the loop gives up."""


class TooLong(Exception):
    """The budget is used up."""


def loop(client, messages, tools, handlers, model="m", max_tokens=4096):
    messages = list(messages)
    asked = 0
    while True:
        asked += 1
        if asked > 12:
            raise TooLong(asked)
        response = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        match response.stop_reason:
            case "tool_use":
                results = [answer(call, handlers) for call in calls(response)]
                messages.append({"role": "user", "content": results})
            case "pause_turn":
                pass
            case _:
                return response


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
