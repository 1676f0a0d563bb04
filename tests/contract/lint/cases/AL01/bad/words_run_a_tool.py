# finds: AL01 at line 13
"""What the model writes decides whether its call is run."""


def run(client, messages, tools, handlers, turns=10):
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=500, messages=messages, tools=tools)
        if response.stop_reason == "end_turn":
            return response
        messages.append({"role": "assistant", "content": response.content})
        said = "".join(b.text for b in response.content if b.type == "text")
        results = []
        if "I will use" in said or "let me" in said.lower():
            for b in response.content:
                if b.type == "tool_use":
                    results.append(
                        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    )
        messages.append({"role": "user", "content": results or "Please use a tool."})
    return response
