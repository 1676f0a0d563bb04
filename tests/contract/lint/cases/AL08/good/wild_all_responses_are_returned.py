async def generate(client, session, messages, params):
    responses = []
    for _ in range(params.max_iterations):
        arguments = {"model": params.model, "max_tokens": params.max_tokens, "messages": messages}
        arguments["tools"] = await session.tools()
        response = await client.messages.create(**arguments)
        messages.append({"role": "assistant", "content": response.content})
        responses.append(response)
        if response.stop_reason == "tool_use":
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    output = await session.call(block.name, block.input)
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
            messages.append({"role": "user", "content": results})
        elif response.stop_reason == "max_tokens":
            break
        elif response.stop_reason in ("end_turn", "stop_sequence"):
            break
        else:
            raise ValueError(response.stop_reason)
    return responses
