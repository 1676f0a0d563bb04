# finds: AL08 at line 13
"""Whatever is not tool_use is given back as text."""


def text_of(response):
    return "".join(block.text for block in response.content if block.type == "text")


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return text_of(response)
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
