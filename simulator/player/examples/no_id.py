"""A loop that does not say which call a result answers."""


def no_id(client, messages, tools, handlers, max_turns=20):
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
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "content": output})
        messages.append({"role": "user", "content": results})

    raise RuntimeError("no answer within max_turns")
