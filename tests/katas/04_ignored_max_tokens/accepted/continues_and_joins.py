"""Has the model continue, once, and joins the pieces; a cut call is dropped and said."""

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


class OutputCutOff(RuntimeError):
    pass


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    pieces = []
    while True:
        response = client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)
        calls = [block for block in response.content if block.type == "tool_use"]
        if response.stop_reason == "max_tokens":
            pieces.append(text_of(response))
            if calls or len(pieces) > 3:
                raise OutputCutOff("".join(pieces))
            messages.append({"role": "assistant", "content": response.content})
            messages.append({"role": "user", "content": "You were cut off. Continue exactly where you stopped."})
        elif response.stop_reason == "tool_use":
            messages += step(response, handlers)
        else:
            return "".join([*pieces, text_of(response)])
