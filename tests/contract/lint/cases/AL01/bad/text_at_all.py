# finds: AL01 at line 11
"""Any text at all is taken for the answer; a recursion."""


def turn(client, messages, tools, handlers, left):
    if left == 0:
        raise RuntimeError("out of turns")
    with client.messages.stream(model="m", max_tokens=1000, messages=messages, tools=tools) as stream:
        reply = stream.get_final_message()
    text = "".join(b.text for b in reply.content if b.type == "text")
    if text.strip():
        return reply
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in reply.content
        if b.type == "tool_use"
    ]
    said = [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
    return turn(client, messages + said, tools, handlers, left - 1)
