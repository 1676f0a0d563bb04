"""Results of server tools stay where the API put them: in the model's turn."""


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        kept = []
        for block in response.content:
            if block.type == "web_search_tool_result":
                kept.append(
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": block.tool_use_id,
                        "content": block.content,
                    }
                )
            else:
                kept.append(block)
        messages.append({"role": "assistant", "content": kept})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
