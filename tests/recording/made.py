"""Small recordings made by hand: a conversation in a few words, and the exchanges of it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.recording.cassette import Exchange, Recording
from simulator.wire.stream import to_events, to_sse

MODEL = "claude-sonnet-5-5"
TOOLS = [
    {"name": name, "description": f"The tool {name}.", "input_schema": {"type": "object"}}
    for name in ("list_dir", "read_file")
]
TASK = {"role": "user", "content": "Which files are here?"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(key: str, name: str = "list_dir", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": name, "input": given}


def said(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    return {"role": "assistant", "content": [text(b) if isinstance(b, str) else b for b in blocks]}


def result(key: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": key, "content": content, **more}


def told(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    return {"role": "user", "content": [text(b) if isinstance(b, str) else b for b in blocks]}


def request(*messages: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 1024, "tools": TOOLS, "messages": list(messages), **parameters}


def raw(body: Any) -> bytes:
    return json.dumps(body).encode()


def answer(turn: dict[str, Any], number: int = 0, stop: str | None = None, tokens: int = 9) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in turn["content"])
    return {
        "id": f"msg_01Made{number}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": turn["content"],
        "stop_reason": stop or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": tokens},
    }


def exchange(
    index: int, body: dict[str, Any], turn: dict[str, Any], *, streamed: bool = False, **how: Any
) -> Exchange:
    message = answer(turn, index, **how)
    return Exchange(
        index=index,
        request=body,
        status=200,
        headers={"content-type": "text/event-stream" if streamed else "application/json"},
        streamed=streamed,
        message=message,
        error=None,
        raw=to_sse(to_events(message)) if streamed else raw(message),
        beta=False,
        complete=True,
    )


def failed(index: int, body: dict[str, Any], status: int, kind: str, words: str, **headers: str) -> Exchange:
    error = {"type": kind, "message": words}
    return Exchange(
        index=index,
        request=body,
        status=status,
        headers={"content-type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()},
        streamed=False,
        message=None,
        error=error,
        raw=raw({"type": "error", "error": error}),
        beta=False,
        complete=True,
    )


def broken(index: int, body: dict[str, Any], turn: dict[str, Any], *, error: Any = None) -> Exchange:
    """A stream that ends after its first words: cut, or with an error event."""
    events = to_events(answer(turn, index))[:4]
    events += [{"type": "error", "error": error}] if error else []
    return Exchange(
        index=index,
        request=body,
        status=200,
        headers={"content-type": "text/event-stream"},
        streamed=True,
        message=None,
        error=error,
        raw=to_sse(events),
        beta=False,
        complete=False,
    )


def recording(*exchanges: Exchange, **scenario: Any) -> Recording:
    return Recording(Path("made.yaml"), exchanges, {"scenario": scenario} if scenario else {}, 0)


ASKED = said("I will look.", call("toolu_1", path="."))
ANSWERED = told(result("toolu_1", "package.json\nREADME.md"))
DONE = said("There are two files.")


def list_dir(*more: Exchange, **scenario: Any) -> Recording:
    """Return the recording of a small whole loop: one call, its result, the end; exchanges 0 and 1."""
    return recording(
        exchange(0, request(TASK), ASKED),
        exchange(1, request(TASK, ASKED, ANSWERED), DONE),
        *more,
        **scenario,
    )


def plain_loop(session: Any, messages: Sequence[dict[str, Any]] | None = None) -> Any:
    """An ordinary loop, run on *session* to its end; returns the last response."""
    messages = session.messages if messages is None else list(messages)
    while True:
        response = session.client.messages.create(
            model=session.model, max_tokens=session.max_tokens, tools=session.tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": session.handlers[block.name](**block.input),
            }
            for block in response.content
            if block.type == "tool_use"
        ]
        if not results:
            return response
        messages.append({"role": "user", "content": results})
