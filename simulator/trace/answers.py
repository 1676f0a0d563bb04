"""The answer of a replay, and a message of the API, as what a trace says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.trace.events import Response

if TYPE_CHECKING:
    from simulator.recording.replay import Answer


def response_of(answer: Answer, turn: int, line: int | None) -> Response:
    """Return the response event of an answer of the replay."""
    message = answer.message or {}
    error = dict(answer.fault) if answer.fault else None
    if error is not None and answer.error is not None:
        error |= {"rule": answer.error.rule, "path": answer.error.path}
    wait = answer.headers.get("retry-after")
    if error is not None and wait is not None:
        error["retry_after"] = wait
    return Response(
        turn,
        line,
        answer.status,
        answer.by,
        answer.exchange,
        answer.branch,
        answer.when,
        turn_of(answer.message),
        error=error,
        instead_of=answer.instead_of,
        **stated(message),
    )


def turn_of(message: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an API message as the turn that a loop appends."""
    if message is None:
        return None
    return {"role": "assistant", "content": message.get("content") or []}


def stated(message: dict[str, Any]) -> dict[str, Any]:
    """Return what an API message states about itself, as fields of a response event."""
    names = ("id", "model", "stop_reason", "stop_sequence")
    texts = {name: message[name] for name in names if isinstance(message.get(name), str)}
    usage = message.get("usage")
    return texts | {"usage": usage if isinstance(usage, dict) else {}}
