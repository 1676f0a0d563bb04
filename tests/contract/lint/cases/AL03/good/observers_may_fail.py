"""An observer that fails is no business of the run; a tool that fails is the model's."""


def run(client, messages, tools, handlers, on_event, limit=10):
    def tell(kind, **facts):
        try:
            on_event({"kind": kind, **facts})
        except Exception:
            pass

    for number in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        tell("answer", number=number, stop_reason=response.stop_reason)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                try:
                    content, failed = handlers[block.name](**block.input), False
                except Exception as error:
                    content, failed = f"{type(error).__name__}: {error}", True
                tell("tool", name=block.name, failed=failed)
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": content, "is_error": failed}
                )
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
