"""The run ends when the model calls submit."""

SUBMIT = {"name": "submit", "description": "Hand in", "input_schema": {"type": "object", "properties": {"answer": {"type": "string"}}}}


def run(client, prompt, tools, handlers, max_turns=20):
    messages = [{"role": "user", "content": prompt}]
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=[*tools, SUBMIT])
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason not in ("tool_use", "end_turn"):
            raise RuntimeError(response.stop_reason)
        calls = [b for b in response.content if b.type == "tool_use"]
        if not calls:
            messages.append({"role": "user", "content": "Call submit when you are ready."})
            continue
        results = []
        for call in calls:
            if call.name == "submit":
                return call.input["answer"]
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("nothing was handed in")
