"""match on every signal, bounded by a for."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent_loop(client, messages, tools, handlers):
    history = list(messages)
    for _ in range(40):
        response = client.messages.create(model=MODEL, max_tokens=2000, messages=history, tools=tools)
        match response.stop_reason:
            case "end_turn" | "stop_sequence":
                return response
            case "tool_use":
                history.append({"role": "assistant", "content": response.content})
                history.append({"role": "user", "content": results_of(response, handlers)})
            case other:
                raise RuntimeError(f"unexpected stop_reason {other}")
    raise RuntimeError("too many turns")
