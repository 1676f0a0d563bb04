from dataclasses import dataclass


@dataclass
class Turn:
    text: str
    stop_reason: str
    rounds: int


def run(client, tools, messages, most):
    for rounds in range(1, most + 1):
        response = client.messages.create(model="m", max_tokens=1500, tools=list(tools), messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls or response.stop_reason != "tool_use":
            text = "".join(block.text for block in response.content if block.type == "text")
            return Turn(text=text, stop_reason=response.stop_reason, rounds=rounds)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": tools[call.name](call.input)} for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise TimeoutError
