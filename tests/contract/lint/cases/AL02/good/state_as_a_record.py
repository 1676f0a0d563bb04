"""State is an immutable record; a step is a function from state to state."""

from dataclasses import dataclass, replace

import anthropic


@dataclass(frozen=True)
class State:
    messages: tuple
    turns_left: int
    response: anthropic.types.Message | None = None
    status: str = "running"


def step(client, state, tools, handlers):
    if state.turns_left == 0:
        return replace(state, status="out_of_turns")
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=list(state.messages)
    )
    messages = state.messages + ({"role": "assistant", "content": response.content},)
    if response.stop_reason == "tool_use":
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages += ({"role": "user", "content": results},)
        return replace(state, messages=messages, turns_left=state.turns_left - 1, response=response)
    return replace(state, messages=messages, response=response, status=response.stop_reason)


def run(client, question, tools, handlers, turns=20):
    state = State(({"role": "user", "content": question},), turns)
    while state.status == "running":
        state = step(client, state, tools, handlers)
    return state
