"""A log for people in its own order, beside the conversation."""


def run(client, messages, tools, handlers, log, max_turns=20):
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if r.stop_reason != "tool_use":
            return r
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in r.content
            if b.type == "tool_use"
        ]
        log.append({"role": "user", "content": results})
        messages.append({"role": "assistant", "content": r.content})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
