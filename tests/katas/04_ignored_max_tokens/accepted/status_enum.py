"""A dataclass whose status says cut."""

from dataclasses import dataclass
from enum import Enum

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {**result, "content": str(error), "is_error": True}


def text_of(r):
    return "".join(b.text for b in r.content if b.type == "text")


def ask(client, messages, tools, max_tokens):
    return client.messages.create(model=MODEL, max_tokens=max_tokens, messages=messages, tools=tools)


def go_on(r, messages, handlers):
    messages.append({"role": "assistant", "content": r.content})
    messages.append(
        {"role": "user", "content": [run_tool(c, handlers) for c in r.content if c.type == "tool_use"]}
    )


class Status(Enum):
    WHOLE = "whole"
    CUT = "cut"


@dataclass
class Outcome:
    text: str
    status: Status


def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    while True:
        r = ask(client, messages, tools, max_tokens)
        if r.stop_reason == "max_tokens":
            return Outcome(text_of(r), Status.CUT)
        if r.stop_reason != "tool_use":
            return Outcome(text_of(r), Status.WHOLE)
        go_on(r, messages, handlers)
