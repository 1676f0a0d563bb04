# finds: AL01 at line 28
"""A compiled pattern, in a helper, asynchronous."""

import re

END = re.compile(r"\b(task complete|all set)\b", re.IGNORECASE)


def is_over(message):
    for block in message.content:
        if block.type == "text" and END.search(block.text):
            return True
    return False


async def act(message, handlers):
    results = []
    for block in message.content:
        if block.type == "tool_use":
            output = await handlers[block.name](**block.input)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
    return results


async def agent(client, history, tools, handlers, *, rounds):
    for _ in range(rounds):
        message = await client.beta.messages.create(model="m", max_tokens=800, messages=history, tools=tools)
        if is_over(message):
            return message
        history = [
            *history,
            {"role": "assistant", "content": message.content},
            {"role": "user", "content": await act(message, handlers)},
        ]
    return None
