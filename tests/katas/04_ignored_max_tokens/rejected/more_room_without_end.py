# expects: K04-E5
"""More room each time, with no end to it."""

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    try:
        content, failed = handlers[call.name](**call.input), False
    except Exception as error:
        content, failed = str(error), True
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": failed}


def text_of(response):
    return "".join(block.text for block in response.content if block.type == "text")


def step(response, handlers):
    calls = [block for block in response.content if block.type == "tool_use"]
    return [
        {"role": "assistant", "content": response.content},
        {"role": "user", "content": [run_tool(call, handlers) for call in calls]},
    ]


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    room = max_tokens
    while True:
        response = client.messages.create(model=MODEL, max_tokens=room, messages=messages, tools=tools)
        if response.stop_reason == "max_tokens":
            room += 1024
            continue
        if response.stop_reason != "tool_use":
            return text_of(response)
        messages += step(response, handlers)
