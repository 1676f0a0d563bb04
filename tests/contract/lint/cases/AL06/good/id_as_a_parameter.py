"""The id comes as an argument, with another name."""


def tool_result(call_id, content, *, failed=False):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}


async def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        reply = (
            await client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
            )
        ).to_dict()
        messages.append({"role": "assistant", "content": reply["content"]})
        if reply["stop_reason"] != "tool_use":
            return reply
        results = []
        for block in reply["content"]:
            if block["type"] == "tool_use":
                try:
                    said = await handlers[block["name"]](**block["input"])
                    results.append(tool_result(block["id"], said))
                except Exception as error:
                    results.append(tool_result(block["id"], str(error), failed=True))
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
