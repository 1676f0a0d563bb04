"""A helper takes the answer apart: text, calls, signal."""


def parts(response):
    text = "".join(b.text for b in response.content if b.type == "text")
    calls = [b for b in response.content if b.type == "tool_use"]
    return text, calls, response.stop_reason


def run(client, messages, tools, handlers, show, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text, calls, signal = parts(response)
        if text:
            show(text)
        messages.append({"role": "assistant", "content": response.content})
        if not calls:
            return text, signal
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](**c.input)} for c in calls
                ],
            }
        )
    raise TimeoutError
