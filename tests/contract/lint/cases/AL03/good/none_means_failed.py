"""None is looked at, and told as an error."""


def quietly(handler, given):
    try:
        return handler(**given)
    except Exception:
        return None


def loop(client, messages, tools, handlers, limit=20):
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
                output = quietly(handlers[block.name], block.input)
                failed = output is None
                said = f"{block.name} failed; try other input" if failed else output
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": said, "is_error": failed}
                )
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
