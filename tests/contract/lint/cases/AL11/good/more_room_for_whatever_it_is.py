"""Whatever else stopped it: the turn is kept, and the next one gets more room, up to a limit."""


def run(client, messages, tools, handlers, room=1000, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=room, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "end_turn":
            return response
        if response.stop_reason == "tool_use":
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            messages.append({"role": "user", "content": results})
        else:
            room += 500
    raise TimeoutError
