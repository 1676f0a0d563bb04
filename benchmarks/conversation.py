"""A made-up conversation of any length: a model that reads one file after the other and then sums up.

Rules of this file:

1. A turn is one entry of ``messages[]``. A conversation of N turns takes N / 2 requests; the last request,
   the longest, sends N - 1 turns and is answered with the last one.
2. Texts have the size of real ones: a tool result of about 600 characters, an answer of about 100.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simulator.recording.cassette import Exchange, Recording
from simulator.recording.scenario import Scenario

MODEL = "claude-sonnet-5-5"
TOOLS = [
    {
        "name": "read_file",
        "description": "Read a text file.",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]


def request(number: int) -> dict[str, Any]:
    """Return the body of request *number*, counted from 0."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read every chapter and sum the book up."}]
    for past in range(number):
        messages += [
            {"role": "assistant", "content": content(past)},
            {"role": "user", "content": [result(past)]},
        ]
    return {"model": MODEL, "max_tokens": 1024, "tools": TOOLS, "messages": messages}


def content(number: int) -> list[dict[str, Any]]:
    """Return the blocks in which the model asks for chapter *number*."""
    path = {"path": f"book/chapter_{number:04}.md"}
    return [
        {"type": "text", "text": f"Now chapter {number}, to see how the argument of the one before goes on."},
        {"type": "tool_use", "id": f"toolu_{number:024}", "name": "read_file", "input": path},
    ]


def result(number: int) -> dict[str, Any]:
    """Return the ``tool_result`` block with chapter *number*."""
    text = f"Chapter {number}. " + "It was said before and is said again, a little differently. " * 10
    return {"type": "tool_result", "tool_use_id": f"toolu_{number:024}", "content": text}


def answer(number: int, requests: int) -> dict[str, Any]:
    """Return the API message that answers request *number* out of *requests*."""
    last = number == requests - 1
    blocks = [{"type": "text", "text": "That is the whole book."}] if last else content(number)
    return {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": blocks,
        "stop_reason": "end_turn" if last else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 100 + 200 * number, "output_tokens": 40},
    }


def scenario(requests: int) -> Scenario:
    """Return a scenario of *requests* requests that lives in memory only."""
    exchanges = tuple(_exchange(number, requests) for number in range(requests))
    return Scenario.of(Recording(Path(f"{requests}_requests.yaml"), exchanges, {}, 0))


def _exchange(number: int, requests: int) -> Exchange:
    message = answer(number, requests)
    return Exchange(
        index=number,
        request=request(number),
        status=200,
        headers={"content-type": "application/json"},
        streamed=False,
        message=message,
        error=None,
        raw=json.dumps(message).encode(),
        beta=False,
        complete=True,
    )


def loop(client: Any, messages: list[Any], tools: list[Any], handlers: dict[str, Any]) -> Any:
    """Run the conversation to its end: an ordinary loop, the one that is observed."""
    while True:
        response = client.messages.create(model=MODEL, max_tokens=1024, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": _results(response, handlers)})


def streaming_loop(client: Any, messages: list[Any], tools: list[Any], handlers: dict[str, Any]) -> Any:
    """Run it with each answer streamed, its text as it comes."""
    while True:
        asked = {"model": MODEL, "max_tokens": 1024, "tools": tools, "messages": messages}
        with client.messages.stream(**asked) as stream:
            for _ in stream.text_stream:
                pass
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": _results(response, handlers)})


def _results(response: Any, handlers: dict[str, Any]) -> list[dict[str, Any]]:
    results = []
    for block in response.content:
        if block.type == "tool_use":
            text = handlers[block.name](**block.input)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": text})
    return results
