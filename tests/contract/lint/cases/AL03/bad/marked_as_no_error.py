# finds: AL03 at line 9
"""is_error is always False."""


def execute(block, handlers):
    try:
        return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input), "is_error": False}
    except Exception as error:
        return {"type": "tool_result", "tool_use_id": block.id, "content": str(error), "is_error": False}


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [execute(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
