"""The first turn and the last ones are sent: a window that moves."""


def run(client, messages, tools, handlers, max_turns, window):
    for _ in range(max_turns):
        r = client.messages.create(
            model="m", max_tokens=1000, messages=[messages[0], *messages[1:][-window:]], tools=tools
        )
        messages.append({"role": "assistant", "content": r.content})
        if r.stop_reason != "tool_use":
            return r
        results = []
        for b in r.content:
            if b.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
