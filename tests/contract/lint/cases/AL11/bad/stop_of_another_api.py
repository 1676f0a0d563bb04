# finds: AL11 at line 8
"""The word of another API: the end is never seen."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason == "stop":
            return response
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
