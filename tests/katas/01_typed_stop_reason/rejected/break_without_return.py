# expects: K01-E3
"""break, and no return after the loop."""

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def text_of(response):
    return "".join(block.text for block in response.content if block.type == "text")


def run_agent_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
        if response.stop_reason == "end_turn":
            break
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results_of(response, handlers)})
