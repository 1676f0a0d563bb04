# finds: AL03 at line 9
"""Ctrl-C becomes a message to the model, and the loop goes on."""


def result_of(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        result["content"] = handlers[call.name](**call.input)
    except BaseException as error:
        result["content"] = f"{call.name} failed: {error}"
        result["is_error"] = True
    return result


def run_agent_loop(client, messages, tools, handlers, max_iterations=20):
    history = list(messages)
    for _ in range(max_iterations):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=4096, messages=history, tools=tools
        )
        match response.stop_reason:
            case "tool_use":
                calls = [block for block in response.content if block.type == "tool_use"]
                history.append({"role": "assistant", "content": response.content})
                history.append({"role": "user", "content": [result_of(call, handlers) for call in calls]})
            case "end_turn" | "stop_sequence":
                return response
            case other:
                raise RuntimeError(f"unhandled stop_reason {other}")
    raise RuntimeError("no answer")
