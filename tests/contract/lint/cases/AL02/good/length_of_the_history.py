"""The length of the conversation is the limit."""


class TooLong(Exception):
    pass


def run(client, messages, tools, handlers, longest):
    while True:
        if len(messages) > longest:
            raise TooLong(len(messages))
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": r.content})
        if r.stop_reason != "tool_use":
            return r
        messages.append({"role": "user", "content": [result(b, handlers) for b in r.content if b.type == "tool_use"]})


def result(b, handlers):
    return {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
