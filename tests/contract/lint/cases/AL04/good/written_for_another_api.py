"""The same conversation is also written down as another API has it."""


def exported(messages):
    lines = []
    for message in messages:
        for block in message["content"]:
            if isinstance(block, dict) and block["type"] == "tool_result":
                lines.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]})
            else:
                lines.append({"role": message["role"], "content": str(block)})
    return lines


def run(client, messages, tools, handlers, keep, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            keep(exported(messages))
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
