async def run(client, session, messages, tools, most):
    """The results of an MCP session are lists of blocks, too: theirs is the first one."""
    for _ in range(most):
        response = await client.messages.create(model="m", max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        results = []
        for block in response.content:
            if block.type == "tool_use":
                result = await session.call_tool(block.name, block.input)
                text = result.content[0].text if result.content else "No result"
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": text})
        if not results:
            return response
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no end")
