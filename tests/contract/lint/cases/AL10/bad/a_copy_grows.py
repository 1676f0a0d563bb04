# finds: AL10 at line 8
"""What grows is a copy; what is sent is not."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        history = messages.copy()
        reply = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason == "end_turn":
            return reply
        history.append({"role": "assistant", "content": reply.content})
        results = []
        for part in reply.content:
            if part.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": part.id, "content": handlers[part.name](part.input)})
        history.append({"role": "user", "content": results})
    raise TimeoutError
