# finds: AL10 at line 7
"""Only the text of the answer is kept."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text = "".join(b.text for b in response.content if b.type == "text")
        messages.append({"role": "assistant", "content": text})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": [handlers(b) for b in response.content if b.type == "tool_use"]})
    raise TimeoutError
