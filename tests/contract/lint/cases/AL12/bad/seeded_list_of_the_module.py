# finds: AL12 at line 4
"""A list that begins with a greeting, and is never emptied."""

HISTORY: list = [{"role": "user", "content": "You are looking after a garden."}]


def reply(client, text, tools, handlers, rounds):
    HISTORY.append({"role": "user", "content": text})
    while rounds > 0:
        rounds -= 1
        message = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=HISTORY, tools=tools
        )
        HISTORY.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message
        HISTORY.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    for b in message.content
                    if b.type == "tool_use"
                ],
            }
        )
    raise RuntimeError("no answer")
