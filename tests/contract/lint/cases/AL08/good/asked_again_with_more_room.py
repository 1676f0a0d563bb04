"""Asked again with more room, a bounded number of times; then it is raised."""


def run(client, messages, tools, handlers, max_turns, most=8000):
    room = 1000
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=room, messages=messages, tools=tools)
        match response.stop_reason:
            case "tool_use":
                messages.append({"role": "assistant", "content": response.content})
                messages.append({"role": "user", "content": list(results(response, handlers))})
            case "end_turn" | "stop_sequence":
                return response.content[-1].text
            case "max_tokens" if room < most:
                room *= 2
            case other:
                raise RuntimeError(f"stopped by {other}")
    raise TimeoutError


def results(response, handlers):
    for block in response.content:
        if block.type == "tool_use":
            yield {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
