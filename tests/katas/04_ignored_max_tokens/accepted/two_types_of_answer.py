"""Two types of answer, and a stream."""

from collections import namedtuple

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


Whole = namedtuple("Whole", "text")
Truncated = namedtuple("Truncated", "text limit")


def responses(client, messages, tools, handlers, max_tokens):
    while True:
        with client.messages.stream(
            model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools
        ) as stream:
            response = stream.get_final_message()
        yield response
        if response.stop_reason != "tool_use":
            return
        messages += step(response, handlers)


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    for response in responses(client, messages, tools, handlers, max_tokens):
        last = response
    text = text_of(last)
    return Truncated(text, max_tokens) if last.stop_reason == "max_tokens" else Whole(text)
