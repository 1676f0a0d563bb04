"""A generator gives both, the call first."""


def happened(response, handlers):
    yield {"role": "assistant", "content": response.content}
    yield {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ],
    }


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        messages.extend(happened(response, handlers))
    raise TimeoutError
