"""A call that was cut is answered with an error and asked for again, twice at most."""


class Cut(Exception):
    pass


def run(client, messages, tools, handlers, *, max_turns=20, max_cuts=2):
    cuts = 0
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=2000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        calls = [b for b in response.content if b.type == "tool_use"]
        if response.stop_reason == "max_tokens":
            cuts += 1
            if cuts > max_cuts:
                raise Cut(cuts)
            if calls:
                content = [
                    {
                        "type": "tool_result",
                        "tool_use_id": c.id,
                        "content": "Your answer was cut off before this call was whole. Send less at once.",
                        "is_error": True,
                    }
                    for c in calls
                ]
            else:
                content = "Your answer was cut off. Go on."
            messages.append({"role": "user", "content": content})
        elif response.stop_reason == "tool_use":
            messages.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](**c.input)} for c in calls
                    ],
                }
            )
        else:
            return response
    raise TimeoutError
