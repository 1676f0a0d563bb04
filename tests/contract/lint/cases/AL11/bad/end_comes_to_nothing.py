# finds: AL11 at line 8
"""The end leaves the loop, and nobody gets the answer."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason == "end_turn":
            break
        if response.stop_reason != "tool_use":
            raise RuntimeError(response.stop_reason)
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
