"""Whatever is neither the end nor a call is asked about, in words, within the limit."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if r.stop_reason == "end_turn":
            return r
        messages.append({"role": "assistant", "content": r.content})
        if r.stop_reason == "tool_use":
            content = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in r.content
                if b.type == "tool_use"
            ]
        else:
            content = "You were interrupted. Go on where you stopped."
        messages.append({"role": "user", "content": content})
    raise TimeoutError
