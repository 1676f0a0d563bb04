# finds: AL11 at line 11
"""Only two signals are known; the rest goes round."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "end_turn":
            return response
        if response.stop_reason == "tool_use":
            messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
