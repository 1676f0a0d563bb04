"""Tells the model that its call was cut; a text that is cut gets a notice of its own."""

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


NOTICE = "\n\n[This answer is incomplete: it was cut off at the limit of {limit} tokens.]"


def refuse(response):
    told = "The call was cut off and has not been run. Send it again, shorter."
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": told, "is_error": True}
        for block in response.content
        if block.type == "tool_use"
    ]


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    refused = 0
    while True:
        response = client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)
        refusals = refuse(response)
        if response.stop_reason == "tool_use":
            messages += step(response, handlers)
        elif response.stop_reason == "max_tokens" and refusals and refused < 2:
            refused += 1
            messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": refusals}]
        elif response.stop_reason == "max_tokens":
            return text_of(response) + NOTICE.format(limit=max_tokens)
        else:
            return text_of(response)
