# finds: AL10 at line 7
"""The results come as a sentence of the user."""


def run(client, messages, tools, handlers, rounds):
    for _ in range(rounds):
        with client.messages.stream(model="m", max_tokens=1000, messages=messages, tools=tools) as stream:
            message = stream.get_final_message()
        if message.stop_reason != "tool_use":
            return message
        messages.append({"role": "assistant", "content": message.content})
        for block in message.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                messages.append({"role": "user", "content": f"The tool {block.name} said: {output}"})
    raise TimeoutError
