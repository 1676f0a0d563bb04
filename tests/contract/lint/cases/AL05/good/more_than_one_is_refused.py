"""Asks how many there are."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        if len(calls) > 1:
            raise RuntimeError("this agent takes one call at a time")
        call = calls[0]
        output = handlers[call.name](**call.input)
        result = {"type": "tool_result", "tool_use_id": call.id, "content": output}
        messages.append({"role": "user", "content": [result]})
    raise RuntimeError("no answer")
