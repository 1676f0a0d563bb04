"""The request stands at the end of the body: the turn after it belongs to the next round."""


def run(client, messages, tools, handlers, budget):
    response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    messages.append({"role": "assistant", "content": response.content})
    while response.stop_reason == "tool_use" and budget.left():
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
    return response
