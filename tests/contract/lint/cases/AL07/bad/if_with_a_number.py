# finds: AL07 at line 9
"""while True, and in it the number."""


def run(client, messages, tools, handlers):
    count = 0
    while True:
        count = count + 1
        if count >= 25:
            raise RuntimeError("too many rounds")
        reply = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason == "end_turn":
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](c.input)}
            for c in reply.content
            if c.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
