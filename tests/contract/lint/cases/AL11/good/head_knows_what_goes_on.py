"""The head of the loop ends for anything that is no call and no pause."""


def run(client, messages, tools, handlers, max_turns=20):
    response = None
    turns = 0
    while (response is None or response.stop_reason in ("tool_use", "pause_turn")) and turns < max_turns:
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        turns += 1
        messages.append({"role": "assistant", "content": response.content})
        results = [handlers(b) for b in response.content if b.type == "tool_use"]
        if results:
            messages.append({"role": "user", "content": results})
    return response
