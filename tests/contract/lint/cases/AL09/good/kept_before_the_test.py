"""The assistant turn is kept before the signal is looked at."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        for b in response.content:
            if b.type == "tool_use":
                result = {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                messages.append({"role": "user", "content": [result]})
    raise TimeoutError
