# finds: AL02 at line 17
"""Twice the room for a cut answer, and twice again, without an end."""


def results(message, registry):
    return [
        {"type": "tool_result", "tool_use_id": b.id, "content": registry[b.name](b.input)}
        for b in message.content
        if b.type == "tool_use"
    ]


def run(client, conversation, tools, registry, steps_left):
    room = 1000
    while True:
        message = client.messages.create(model="m", max_tokens=room, messages=conversation, tools=tools)
        if message.stop_reason == "max_tokens":
            room *= 2
        elif message.stop_reason == "tool_use":
            steps_left -= 1
            if steps_left < 0:
                raise TimeoutError
            conversation.append({"role": "assistant", "content": message.content})
            conversation.append({"role": "user", "content": results(message, registry)})
        else:
            return message
