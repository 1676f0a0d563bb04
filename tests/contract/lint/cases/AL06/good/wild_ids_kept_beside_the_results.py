def run(client, tools, messages, turns):
    for _ in range(turns):
        response = client.messages.create(model="m", max_tokens=1000, tools=list(tools), messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        ids, outputs = [], []
        for block in response.content:
            if block.type == "tool_use":
                ids.append(block.id)
                outputs.append(tools[block.name](block.input))
        results = []
        for position, output in enumerate(outputs):
            results.append({"type": "tool_result", "tool_use_id": ids[position], "content": output})
        messages.append({"role": "user", "content": results})
    raise TimeoutError
