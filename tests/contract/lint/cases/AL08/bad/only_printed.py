# finds: AL08 at line 12
"""It is printed, and the caller gets the text all the same."""


def run(client, messages, tools, handlers, *, rounds):
    for _ in range(rounds):
        message = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        final = "".join(b.text for b in message.content if b.type == "text")
        if message.stop_reason == "max_tokens":
            print("warning: cut off")
        if message.stop_reason != "tool_use":
            return final
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in message.content
            if b.type == "tool_use"
        ]
        messages = [*messages, {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
    raise TimeoutError
