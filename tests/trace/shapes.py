"""Loops of many shapes that all do the same: read files until the model is done.

Each is written as people write theirs. The comments at line ends are marks that tests look for.
"""

import asyncio
import functools
from dataclasses import dataclass, field

MODEL = "claude-sonnet-5-5"


def ask(client, messages, tools):
    return client.messages.create(model=MODEL, max_tokens=1024, tools=tools, messages=messages)


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def appends(client, messages, tools, handlers):
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, tools=tools, messages=messages)  # ask
        messages.append({"role": "assistant", "content": response.content})  # append the answer
        if response.stop_reason != "tool_use":  # decide
            return response  # leave
        messages.append({"role": "user", "content": results_of(response, handlers)})  # append the results


def appends_plain_dicts(client, messages, tools, handlers):
    while True:
        response = ask(client, messages, tools)
        messages.append({"role": "assistant", "content": [block.model_dump() for block in response.content]})
        if response.stop_reason == "end_turn":
            break
        messages += [{"role": "user", "content": results_of(response, handlers)}]
    return messages


def rebuilds(client, messages, tools, handlers):
    history = messages
    while True:
        response = ask(client, history, tools)
        history = [*history, {"role": "assistant", "content": response.content}]  # rebuild
        if response.stop_reason != "tool_use":
            return
        history = [*history, {"role": "user", "content": results_of(response, handlers)}]


def sends_a_copy(client, messages, tools, handlers):
    while True:
        response = ask(client, list(messages), tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return
        messages.append({"role": "user", "content": results_of(response, handlers)})


def fills_in_place(client, messages, tools, handlers):
    while True:
        response = ask(client, messages, tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return
        turn = {"role": "user", "content": []}
        messages.append(turn)
        for block in response.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                turn["content"].append({"type": "tool_result", "tool_use_id": block.id, "content": output})


class Agent:
    """Keeps its messages in an attribute; can be called, and has a method that runs."""

    def __init__(self):
        self.messages = []

    def __call__(self, client, messages, tools, handlers):
        return self.run(client, messages, tools, handlers)

    def run(self, client, messages, tools, handlers):
        self.messages = list(messages)
        while self.step(client, tools, handlers):
            pass
        return self.messages[-1]["role"]

    def step(self, client, tools, handlers):
        response = ask(client, self.messages, tools)
        self.messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "tool_use":
            self.messages.append({"role": "user", "content": results_of(response, handlers)})
        return response.stop_reason == "tool_use"


@dataclass
class State:
    messages: list = field(default_factory=list)
    turns: int = 0


def keeps_state(client, messages, tools, handlers):
    state = State(list(messages))
    while state.turns < 30:
        state.turns += 1
        response = ask(client, state.messages, tools)
        state.messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            break
        state.messages.append({"role": "user", "content": results_of(response, handlers)})
    return state.turns


def recurses(client, messages, tools, handlers):
    response = ask(client, messages, tools)
    answered = [*messages, {"role": "assistant", "content": response.content}]
    if response.stop_reason != "tool_use":
        return answered
    results = {"role": "user", "content": results_of(response, handlers)}
    return recurses(client, [*answered, results], tools, handlers)


def generates(client, messages, tools, handlers):
    while True:
        response = ask(client, messages, tools)
        messages.append({"role": "assistant", "content": response.content})
        yield response.stop_reason
        if response.stop_reason != "tool_use":
            return
        messages.append({"role": "user", "content": results_of(response, handlers)})


async def awaits(client, messages, tools, handlers):
    while True:
        response = await client.messages.create(  # ask later
            model=MODEL, max_tokens=1024, tools=tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        await asyncio.sleep(0)
        if response.stop_reason != "tool_use":  # decide later
            return response.stop_reason
        messages.append({"role": "user", "content": results_of(response, handlers)})


async def generates_later(client, messages, tools, handlers):
    while True:
        response = await client.messages.create(model=MODEL, max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        yield response.stop_reason
        if response.stop_reason != "tool_use":
            return
        messages.append({"role": "user", "content": results_of(response, handlers)})


def streams(client, messages, tools, handlers):
    while True:
        with client.messages.stream(model=MODEL, max_tokens=1024, tools=tools, messages=messages) as stream:
            text = "".join(stream.text_stream)
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return text
        messages.append({"role": "user", "content": results_of(response, handlers)})


async def streams_later(client, messages, tools, handlers):
    while True:
        asked = {"model": MODEL, "max_tokens": 1024, "tools": tools, "messages": messages}
        async with client.messages.stream(**asked) as stream:
            text = "".join([piece async for piece in stream.text_stream])
            response = await stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return text
        messages.append({"role": "user", "content": results_of(response, handlers)})


def streams_by_hand(client, messages, tools, handlers):
    while True:
        blocks, reason = [], None
        asked = {"model": MODEL, "max_tokens": 1024, "tools": tools, "messages": messages}
        for event in client.messages.create(**asked, stream=True):
            if event.type == "content_block_start":
                blocks.append({**event.content_block.model_dump(), "input_json": ""})
            elif event.type == "content_block_delta":
                kind = event.delta.type
                key, piece = (
                    ("text", event.delta.text)
                    if kind == "text_delta"
                    else ("input_json", event.delta.partial_json)
                )
                blocks[-1][key] += piece
            elif event.type == "message_delta":
                reason = event.delta.stop_reason
        messages.append({"role": "assistant", "content": [finished(block) for block in blocks]})
        if reason != "tool_use":
            return reason
        messages.append(
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": b["id"],
                        "content": handlers[b["name"]](**b["input"]),
                    }
                    for b in messages[-1]["content"]
                    if b["type"] == "tool_use"
                ],
            }
        )


def finished(block):
    import json

    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    given = json.loads(block["input_json"] or "{}")
    return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": given}


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
def decorated(client, messages, tools, handlers):
    while (response := ask(client, messages, tools)).stop_reason == "tool_use":  # the whole test
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results_of(response, handlers)})
    messages.append({"role": "assistant", "content": response.content})


def names_by_position(client, messages, /, tools, *, handlers, **more):
    return appends(client, messages, tools, handlers), sorted(more)


def asks_raw(client, messages, tools, handlers):
    while True:
        raw = client.messages.with_raw_response.create(
            model=MODEL, max_tokens=1024, tools=tools, messages=messages
        )
        response = raw.parse()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return raw.status_code
        messages.append({"role": "user", "content": results_of(response, handlers)})


def adds_a_reminder(client, messages, tools, handlers):
    while True:
        response = ask(client, [*messages, REMINDER], tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return
        messages.append({"role": "user", "content": results_of(response, handlers)})


REMINDER = {"role": "user", "content": "Be brief."}


def converts(client, messages, tools, handlers):
    turns = [("user", messages[0]["content"])]
    while True:
        response = ask(client, [{"role": role, "content": content} for role, content in turns], tools)
        turns.append(("assistant", response.content))
        if response.stop_reason != "tool_use":
            return
        turns.append(("user", results_of(response, handlers)))


in_a_lambda = lambda client, messages, tools, handlers: appends(client, messages, tools, handlers)  # noqa: E731
