"""The walrus: as long as it is tool_use, go on."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent_loop(client, messages, tools, handlers):
    def ask():
        return client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)

    while (response := ask()).stop_reason == "tool_use":
        messages += [
            {"role": "assistant", "content": response.content},
            {"role": "user", "content": results_of(response, handlers)},
        ]
    return response
