"""A dictionary that tells how it ended."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        text = "".join(b.text for b in response.content if b.type == "text")
        if response.stop_reason == "max_tokens":
            return {"answer": text, "note": "This answer was cut off."}
        if response.stop_reason != "tool_use":
            return {"answer": text}
        messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    return {"error": "too many turns"}
