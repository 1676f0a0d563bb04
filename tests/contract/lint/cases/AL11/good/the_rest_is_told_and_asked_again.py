"""What was stopped otherwise is told to the model, and asked again."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "end_turn":
            return response
        calls = [b for b in response.content if b.type == "tool_use"]
        if response.stop_reason == "tool_use":
            messages.append({"role": "user", "content": [handlers(c) for c in calls]})
        elif response.stop_reason == "refusal":
            raise PermissionError
        elif response.stop_reason != "pause_turn":
            content = [
                {"type": "tool_result", "tool_use_id": c.id, "content": "cut off", "is_error": True} for c in calls
            ] or "You were cut off. Please go on."
            messages.append({"role": "user", "content": content})
    raise TimeoutError
