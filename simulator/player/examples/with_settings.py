"""The loop that is in order, for a recording with settings of its own."""


def with_settings(
    client, messages, tools, handlers, model, max_tokens, system, max_turns=20
):
    for turn in range(max_turns):
        response = client.messages.create(
            model=model,
            max_tokens=max_tokens,
            system=system,
            tools=tools,
            messages=messages,
        )
        messages.append({"role": "assistant", "content": response.content})

        if response.stop_reason != "tool_use":
            return response

        results = []
        for block in response.content:
            if block.type == "tool_use":
                result = {"type": "tool_result", "tool_use_id": block.id}
                try:
                    result["content"] = handlers[block.name](**block.input)
                except Exception as error:
                    result["content"] = str(error)
                    result["is_error"] = True
                results.append(result)
        messages.append({"role": "user", "content": results})

    raise RuntimeError("no answer within max_turns")
