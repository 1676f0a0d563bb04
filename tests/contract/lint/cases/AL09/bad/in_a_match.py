# finds: AL09 at line 18
"""In the branch of a match."""


def run(client, log, tools, handlers, budget):
    while budget.left():
        with client.messages.stream(model="m", max_tokens=1000, messages=log, tools=tools) as stream:
            message = stream.get_final_message()
        match message.stop_reason:
            case "end_turn":
                return message
            case "tool_use":
                found = [
                    {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                    for b in message.content
                    if b.type == "tool_use"
                ]
                log.append({"role": "user", "content": found})
                log.append({"role": "assistant", "content": message.content})
            case other:
                raise RuntimeError(other)
    raise TimeoutError
