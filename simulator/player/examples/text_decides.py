"""A loop that ends when the text says so."""


def text_decides(client, messages, tools, handlers, max_turns=20):
    for turn in range(max_turns):
        response = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=1024,
            tools=tools,
            messages=messages,
        )
        messages.append({"role": "assistant", "content": response.content})

        text = ""
        for block in response.content:
            if block.type == "text":
                text += block.text
        if "done" in text.lower():
            return response
        if response.stop_reason == "end_turn":
            return response

        results = []
        for block in response.content:
            if block.type == "tool_use":
                result = {"type": "tool_result", "tool_use_id": block.id}
                result["content"] = handlers[block.name](**block.input)
                results.append(result)
        messages.append({"role": "user", "content": results})

    raise RuntimeError("no answer within max_turns")
