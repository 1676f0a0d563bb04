# finds: AL02 at line 7
"""A flag that only the signal sets."""


def run(client, messages, tools, handlers):
    running = True
    while running:
        with client.messages.stream(model="m", max_tokens=1000, messages=messages, tools=tools) as stream:
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "tool_use":
            found = []
            for block in response.content:
                if block.type == "tool_use":
                    found.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](block.input)})
            messages.append({"role": "user", "content": found})
        else:
            running = False
    return response
