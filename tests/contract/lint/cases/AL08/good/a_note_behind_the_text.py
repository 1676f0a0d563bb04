"""A cut text gets a note, in front of the same return."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text = "".join(b.text for b in r.content if b.type == "text")
        if r.stop_reason == "max_tokens":
            text += "\n\n(The answer was cut off here.)"
        if r.stop_reason != "tool_use":
            return text
        messages.append({"role": "assistant", "content": r.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in r.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
