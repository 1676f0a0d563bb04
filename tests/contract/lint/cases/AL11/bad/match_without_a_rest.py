# finds: AL11 at line 9
"""match without a wildcard."""


async def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        msg = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": msg.content})
        match msg.stop_reason:
            case "end_turn":
                return msg
            case "tool_use":
                messages.append({"role": "user", "content": [await handlers(b) for b in msg.content if b.type == "tool_use"]})
            case "max_tokens":
                raise RuntimeError("cut")
    raise TimeoutError
