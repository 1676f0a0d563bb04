"""A loop that runs the tool and keeps nothing."""


def no_append(client, messages, tools, handlers, max_turns=5):
    for turn in range(max_turns):
        response = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=1024,
            tools=tools,
            messages=messages,
        )

        if response.stop_reason != "tool_use":
            return response

        for block in response.content:
            if block.type == "tool_use":
                handlers[block.name](**block.input)

    raise RuntimeError("no answer within max_turns")
