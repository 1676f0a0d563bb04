"""Words are looked for in what a tool gave, to tell the model of a failure."""


def result(block, handlers):
    output = handlers[block.name](**block.input)
    failed = "error" in output.lower()
    return {"type": "tool_result", "tool_use_id": block.id, "content": output, "is_error": failed}


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        messages += [
            {"role": "assistant", "content": response.content},
            {"role": "user", "content": [result(b, handlers) for b in response.content if b.type == "tool_use"]},
        ]
    raise TimeoutError
