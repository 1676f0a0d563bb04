"""Small cassettes as text, for tests that break them."""

import json
from pathlib import Path
from typing import Any

from simulator.wire.stream import to_events, to_sse

URL = "https://api.anthropic.com/v1/messages"

QUESTION = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 512,
    "messages": [{"role": "user", "content": "Which files are here?"}],
}

ANSWER = {
    "id": "msg_01Aq",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5-5",
    "content": [{"type": "text", "text": "Two files: package.json and README.md."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 12, "output_tokens": 14},
}

REFUSAL = {
    "type": "error",
    "error": {"type": "not_found_error", "message": "model: claude-nope"},
    "request_id": "req_011CVa2kcigwBtMFroktdQ2q",
}


def pair(
    body: Any = QUESTION, answer: Any = ANSWER, status: int = 200, uri: str = URL, **headers: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """One interaction as vcrpy holds it: request and response."""
    request = {
        "method": "POST",
        "uri": uri,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps(body),
    }
    named = {name.replace("_", "-"): [value] for name, value in headers.items()}
    content = answer if isinstance(answer, bytes) else json.dumps(answer, ensure_ascii=False).encode()
    response = {
        "status": {"code": status, "message": "OK" if status == 200 else "Not OK"},
        "headers": {"content-type": ["application/json"]} | named,
        "body": {"string": content},
    }
    return request, response


def streamed(answer: dict[str, Any] = ANSWER) -> tuple[dict[str, Any], dict[str, Any]]:
    """One streamed interaction as vcrpy holds it."""
    body = QUESTION | {"stream": True}
    return pair(body, to_sse(to_events(answer)), content_type="text/event-stream; charset=utf-8")


def interaction(
    request: str = "",
    response: str = "",
    *,
    body: str | None = None,
    string: str | None = None,
    status: str = "200",
) -> str:
    """The YAML of one interaction; *request* and *response* are whole blocks in place of the usual ones."""
    asked = body if body is not None else json.dumps(QUESTION)
    said = string if string is not None else json.dumps(ANSWER)
    request = request or f"body: '{asked}'\n    headers: {{}}\n    method: POST\n    uri: {URL}"
    response = (
        response
        or f"body:\n      string: '{said}'\n    headers: {{}}\n    status: {{code: {status}, message: x}}"
    )
    return f"- request:\n    {request}\n  response:\n    {response}\n"


def cassette(*interactions: str, tail: str = "version: 1\n") -> str:
    """The YAML of a cassette."""
    return "interactions:\n" + "".join(interactions or (interaction(),)) + tail


def put(folder: Path, text: str | bytes, name: str = "one.yaml") -> Path:
    """Write *text* to a file of *folder* and return its path."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path
