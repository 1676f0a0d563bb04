# finds: AL06 at line 17
"""The first call's id, for all of them."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return response
        results = []
        for call in calls:
            result = {"type": "tool_result", "content": handlers[call.name](**call.input)}
            result["tool_use_id"] = calls[0].id
            results.append(result)
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
