# finds: AL03 at line 8
"""What fails is an empty string."""


def call(handlers, name, arguments):
    try:
        return handlers[name](**arguments)
    except Exception:
        return ""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": call(handlers, b.name, b.input)}
                    for b in response.content
                    if b.type == "tool_use"
                ],
            }
        )
    raise TimeoutError
