"""A dataclass with the text and a flag."""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Answer:
    text: str
    complete: bool


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    for _ in range(100):
        response = client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)
        match response.stop_reason:
            case "tool_use":
                messages.extend(step(response, handlers))
            case "end_turn" | "stop_sequence":
                return Answer(text_of(response), complete=True)
            case "max_tokens":
                return Answer(text_of(response), complete=False)
            case other:
                raise RuntimeError(other)
    raise RuntimeError("too many turns")
