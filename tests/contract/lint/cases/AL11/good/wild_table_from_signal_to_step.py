STEPS = {
    "tool_use": "run",
    "pause_turn": "resume",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "stop",
    "model_context_window_exceeded": "stop",
    "refusal": "stop",
}


def step_for(reason):
    if reason is not None and reason in STEPS:
        return STEPS[reason]
    return "stop"


def run(client, tools, messages, turns):
    message = None
    for _ in range(turns):
        message = client.messages.create(model="m", max_tokens=3000, tools=list(tools), messages=messages)
        messages.append({"role": "assistant", "content": message.content})
        step = step_for(message.stop_reason)
        if step == "stop":
            break
        if step == "run":
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": tools[block.name](block.input)}
                for block in message.content
                if block.type == "tool_use"
            ]
            messages.append({"role": "user", "content": results})
    return message
