# expects: K02-E1
"""The results go nowhere, and an except without a name catches even the order to stop."""

MODEL = "claude-sonnet-5-5"


def run_agent_loop(client, messages, tools, handlers):
    results = []
    while True:
        try:
            response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        except:  # noqa: E722
            print("failed, trying again")
            continue
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                results.append(handlers[block.name](**block.input))
