"""is_error begins as False and is set by what happens."""


def answer(block, handlers):
    result = {"type": "tool_result", "tool_use_id": block.id, "is_error": False}
    try:
        result["content"] = str(handlers[block.name](**block.input))
    except Exception as error:
        result["content"] = repr(error)
        result["is_error"] = True
    return result


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
