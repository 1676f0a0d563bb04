# finds: AL03 at line 17
"""An output that stays empty."""


def run(client, model, messages, tools, handlers, limit=15):
    for _ in range(limit):
        response = client.messages.create(model=model, max_tokens=2048, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = ""
                try:
                    output = handlers[block.name](**block.input)
                except Exception:
                    pass
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError(f"no answer within {limit} requests")
