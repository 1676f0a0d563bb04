"""Every signal has its branch, and any other is raised."""


class UnhandledStop(Exception):
    pass


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        match response.stop_reason:
            case "end_turn" | "stop_sequence":
                return response
            case "tool_use":
                messages.append({"role": "assistant", "content": response.content})
                messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
            case "pause_turn":
                messages.append({"role": "assistant", "content": response.content})
            case other:
                raise UnhandledStop(other)
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
