"""A recursion: one turn, then the rest."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent_loop(client, messages, tools, handlers):
    response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
    if response.stop_reason == "end_turn":
        return response
    step = [
        {"role": "assistant", "content": response.content},
        {"role": "user", "content": results_of(response, handlers)},
    ]
    return run_agent_loop(client, messages + step, tools, handlers)
