"""An asynchronous recursion with what is left as an argument."""


async def go(client, messages, tools, handlers, left=10):
    if left <= 0:
        raise RecursionError("no turns left")
    response = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
    said = {"role": "assistant", "content": response.content}
    if response.stop_reason != "tool_use":
        return response, [*messages, said]
    results = []
    for block in response.content:
        if block.type == "tool_use":
            results.append(
                {"type": "tool_result", "tool_use_id": block.id, "content": await handlers[block.name](**block.input)}
            )
    return await go(client, [*messages, said, {"role": "user", "content": results}], tools, handlers, left - 1)
