"""A failure is a result with one key more."""


def result_of(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": handlers[call.name](**call.input)}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error}", "is_error": True}


def run(client, messages, tools, handlers, limit=15):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=2048, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [result_of(block, handlers) for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": results})
    raise RuntimeError(f"no answer within {limit} requests")
