# finds: AL03 at line 8
"""Whatever happens, it was ok."""


def execute(tool_use, tool_map):
    try:
        outcome = tool_map[tool_use["name"]](tool_use["input"])
    except:  # noqa: E722
        outcome = "ok"
    return {"type": "tool_result", "tool_use_id": tool_use["id"], "content": outcome}


def agent(client, conversation, tool_map, tools, steps):
    while steps > 0:
        steps -= 1
        reply = client.messages.create(
            model="claude-haiku-5", max_tokens=800, messages=conversation, tools=tools
        ).model_dump()
        conversation.append({"role": "assistant", "content": reply["content"]})
        wanted = [b for b in reply["content"] if b["type"] == "tool_use"]
        if not wanted:
            return reply
        conversation.append({"role": "user", "content": [execute(b, tool_map) for b in wanted]})
    raise RuntimeError("out of steps")
