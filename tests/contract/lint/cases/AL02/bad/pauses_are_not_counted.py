# finds: AL02 at line 10
"""Rounds with tools are counted, pauses are not."""


def run(client, messages, tools, handlers, max_rounds=10):
    rounds = 0
    while True:
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "pause_turn":
            continue
        if response.stop_reason != "tool_use":
            return response
        rounds += 1
        if rounds > max_rounds:
            raise TimeoutError(rounds)
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
