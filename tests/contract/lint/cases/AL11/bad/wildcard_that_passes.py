# finds: AL11 at line 8
"""A match whose last branch does nothing."""


async def run(client, log, tools, handlers, budget):
    while budget.left():
        message = await client.messages.create(model="m", max_tokens=1000, messages=log, tools=tools)
        match message.stop_reason:
            case "end_turn" | "stop_sequence":
                return message
            case "tool_use":
                log.append({"role": "assistant", "content": message.content})
                log.append({"role": "user", "content": await results(message, handlers)})
            case _:
                continue
    raise TimeoutError


async def results(message, handlers):
    return [
        {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
        for b in message.content
        if b.type == "tool_use"
    ]
