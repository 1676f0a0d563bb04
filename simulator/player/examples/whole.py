"""A loop that is in order."""


def whole_loop(client, messages, tools, handlers, max_turns=20):
    for turn in range(max_turns):
        response = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=1024,
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
