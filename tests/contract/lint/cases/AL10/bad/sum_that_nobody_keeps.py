# finds: AL10 at line 7
"""messages + ... whose value nobody keeps."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        results = [handlers(b) for b in response.content if b.type == "tool_use"]
        messages + [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    raise TimeoutError
