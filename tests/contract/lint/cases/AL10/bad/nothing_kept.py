# finds: AL10 at line 7
"""The tools run, and nothing of it is kept."""


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                print(handlers[block.name](**block.input))
    raise TimeoutError
