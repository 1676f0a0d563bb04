# finds: AL07 at line 7
"""A generator with a walrus."""


def turns(client, messages, tools, handlers):
    n = 0
    while (n := n + 1) <= 12:
        message = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        yield message
        if message.stop_reason != "tool_use":
            return
        messages = [
            *messages,
            {"role": "assistant", "content": message.content},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    for b in message.content
                    if b.type == "tool_use"
                ],
            },
        ]
