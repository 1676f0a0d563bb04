"""A stream instead of a plain request."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent_loop(client, messages, tools, handlers):
    finished = False
    while not finished:
        with client.messages.stream(model=MODEL, max_tokens=1024, messages=messages, tools=tools) as stream:
            response = stream.get_final_message()
        finished = response.stop_reason == "end_turn"
        if not finished:
            messages.append({"role": "assistant", "content": response.content})
            messages.append({"role": "user", "content": results_of(response, handlers)})
    return response
