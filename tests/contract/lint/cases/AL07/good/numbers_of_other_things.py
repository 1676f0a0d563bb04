"""Numbers that limit other things: pauses, characters, a warning."""


def run(client, messages, tools, handlers, max_turns):
    pauses = 0
    for turn in range(max_turns):
        if turn > 10:
            print("this takes long")
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "pause_turn":
            pauses += 1
            if pauses > 5:
                raise RuntimeError("paused too often")
            continue
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(block, handlers):
    output = handlers[block.name](**block.input)
    if len(output) > 20000:
        output = output[:20000]
    return {"type": "tool_result", "tool_use_id": block.id, "content": output}
