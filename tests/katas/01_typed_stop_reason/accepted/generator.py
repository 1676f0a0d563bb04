"""A generator yields the responses; the last one is the final one."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def turns(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        yield response
        if response.stop_reason != "tool_use":
            return
        messages = [
            *messages,
            {"role": "assistant", "content": response.content},
            {"role": "user", "content": results_of(response, handlers)},
        ]


def run_agent_loop(client, messages, tools, handlers):
    *_, last = turns(client, messages, tools, handlers)
    return last
