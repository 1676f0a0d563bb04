"""The id is put in by whoever runs the tools."""


def failed(error):
    return {"type": "tool_result", "content": f"failed: {error}", "is_error": True}


def worked(output):
    return {"type": "tool_result", "content": output}


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                try:
                    result = worked(handlers[block.name](**block.input))
                except Exception as error:
                    result = failed(error)
                result["tool_use_id"] = block.id
                results.append(result)
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
