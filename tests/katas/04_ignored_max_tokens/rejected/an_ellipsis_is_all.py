# expects: K04-E1
"""An ellipsis is all that is said."""

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
    while True:
        response = client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)
        if response.stop_reason == "max_tokens":
            return text_of(response) + "..."
        if response.stop_reason != "tool_use":
            return text_of(response)
        messages += step(response, handlers)
