"""A recorded exchange as the response of one request: status, headers, body.

Rules of this file:

1. Bytes that were recorded in the form that is asked for (stream or not) are given as they came.
2. Asked for in the other form, a whole answer is rendered: a message as its events, events as their message.
   A stream that broke off with an error is that error; one that was cut is the message so far.
3. Headers that describe the recorded bytes on the wire (length, compression) are dropped, everything else
   that was recorded stays; ``request-id`` and ``x-should-retry`` are made where they are missing, the first
   from the digest, so that a run has the same ids every time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simulator.wire.stream import assemble, to_events, to_sse

if TYPE_CHECKING:
    from simulator.recording.cassette import Exchange

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"

_OF_THE_WIRE = {"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"}

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}


def body(exchange: Exchange, stream: bool) -> tuple[int, str, bytes]:
    """Return ``(status, content type, body)`` that answers a request which asks for *stream* or not."""
    if exchange.status != 200:
        return exchange.status, exchange.headers.get("content-type", JSON), exchange.raw
    if exchange.streamed and not stream:
        return _plain(exchange)
    if stream and not exchange.streamed and exchange.message is not None:
        return 200, EVENTS, to_sse(to_events(exchange.message))
    return 200, exchange.headers.get("content-type", EVENTS if exchange.streamed else JSON), exchange.raw


def of_message(message: dict[str, Any], stream: bool) -> tuple[str, bytes]:
    """Return ``(content type, body)`` of the response that brings *message* as a *stream* or not."""
    return (EVENTS, to_sse(to_events(message))) if stream else (JSON, _dump(message))


def message_of(exchange: Exchange) -> dict[str, Any] | None:
    """Return the message of *exchange*: whole, or as much as a broken stream brought; None for an error."""
    if exchange.message is None and exchange.streamed and exchange.status == 200:
        return assemble(exchange.raw).message
    return exchange.message


def headers(recorded: Mapping[str, str], status: int, content_type: str, digest: str) -> dict[str, str]:
    """Return the headers of a response, from those that were *recorded*; names in lower case."""
    kept = {name: value for name, value in recorded.items() if name not in _OF_THE_WIRE}
    kept["content-type"] = content_type
    kept.setdefault("request-id", request_id(digest))
    if status >= 400:
        kept.setdefault("x-should-retry", "true" if status == 429 or status >= 500 else "false")
    return kept


def request_id(digest: str) -> str:
    """Return the ``request-id`` of a response that has none of its own."""
    return f"req_{digest[:24]}"


def _plain(exchange: Exchange) -> tuple[int, str, bytes]:
    """A recorded stream as the response to a plain request (rule 2)."""
    if exchange.error is not None:
        error = {"type": "error", "error": exchange.error}
        return _STATUS.get(str(exchange.error.get("type")), 500), JSON, _dump(error)
    return 200, JSON, _dump(message_of(exchange))


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
