# finds: AL03 at line 10
"""Tells the reason, and forgets to say that it is one."""


def run_tool(block, handlers):
    try:
        output = handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
    except Exception as e:
        return {"type": "tool_result", "tool_use_id": block.id, "content": f"Error: {e}"}


def ask_until_done(client, messages, tools, handlers, max_turns=12):
    turn = 0
    while turn < max_turns:
        turn += 1
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "assistant", "content": response.content})
        results = [run_tool(b, handlers) for b in response.content if b.type == "tool_use"]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("max_turns reached")
