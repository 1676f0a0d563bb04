class Interrupted(Exception):
    pass


def run_calls(calls, tools, messages):
    results, open_calls = [], list(calls)
    while open_calls:
        call = open_calls.pop(0)
        try:
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": tools[call.name](call.input)})
        except KeyboardInterrupt:
            for each in (call, *open_calls):
                results.append(
                    {"type": "tool_result", "tool_use_id": each.id, "content": "Interrupted.", "is_error": True}
                )
            messages.append({"role": "user", "content": results})
            raise Interrupted from None
    return results


def run(client, tools, messages, turns):
    for _ in range(turns):
        answer = client.messages.create(model="m", max_tokens=600, tools=list(tools), messages=messages)
        messages.append({"role": "assistant", "content": answer.content})
        if answer.stop_reason != "tool_use":
            return answer
        calls = [block for block in answer.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": run_calls(calls, tools, messages)})
    return answer
