"""One recorded exchange with the Messages API, out of the many shapes in which vcrpy files hold it.

Rules of this file:

1. A body is a text, bytes, ``{string: …}`` or, as some projects write it, ``parsed_body``; gzip is told by
   its first two bytes. A request body is a JSON object.
2. A body that starts with ``{`` is JSON; one that starts with an event is a stream, whatever its header says.
3. Headers that no longer fit the decoded body, or that name an account, are left out.
4. Whatever cannot be read is a :class:`ContentError`: its text is a whole sentence of the catalogue.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from simulator.recording.plain import MAX_DEPTH, ContentError, deeper_than, plain, refuse_tags
from simulator.recording.scrub import as_bytes, decoded, header_values
from simulator.recording.scrub_policy import DROP, RESPONSE_HEADERS, ruling
from simulator.text import say
from simulator.text.visible import visible
from simulator.wire.stream import StreamError, assemble


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to ``POST /v1/messages`` and its answer."""

    index: int
    """Position among the Messages exchanges of its cassette, from 0."""
    request: dict[str, Any]
    status: int
    headers: dict[str, str]
    """Response headers: lower-case names, several values joined by ``", "``; see rule 3."""
    streamed: bool
    message: dict[str, Any] | None
    """The whole message of a 200, assembled where it was streamed; else None."""
    error: dict[str, Any] | None
    """``{"type", "message"}`` of an error status, or of an error event in the stream; else None."""
    raw: bytes
    """The response body as it came, decoded: never gzip."""
    beta: bool
    complete: bool
    """False for a stream that was cut or ended in an error event."""


def is_messages(interaction: Any) -> bool:
    """Say whether *interaction* is a call of the Messages API. Raises ContentError if it is none at all."""
    if not isinstance(interaction, dict):
        raise ContentError(say("cassette.not_interaction", seen=type(interaction).__name__))
    for side in ("request", "response"):
        if not isinstance(interaction.get(side), dict):
            raise ContentError(say("cassette.no_side", side=side))
    request = interaction["request"]
    return _method(request) == "POST" and _uri(request).path.rstrip("/").endswith("/v1/messages")


def exchange(interaction: dict[str, Any], index: int, *, looked_for_tags: bool) -> Exchange:
    """Return the Messages call *interaction* as an Exchange. Raises ContentError.

    With *looked_for_tags* the values that count are searched for tags the YAML reader did not obey.
    """
    request, response = interaction["request"], interaction["response"]
    if looked_for_tags:
        refuse_tags({key: value for key, value in request.items() if key != "headers"})
        refuse_tags({key: value for key, value in response.items() if key != "headers"})
        refuse_tags(list(_headers(response).values()))
    body = _json_object(_request_body(request), "request")
    status = _status(response)
    headers = _kept(_headers(response))
    raw = _response_body(response)
    beta = parse_qs(_uri(request).query).get("beta", [""])[-1].lower() in ("true", "1")
    streamed, message, error, complete = _answer(raw, status, headers)
    return Exchange(index, body, status, headers, streamed, message, error, raw, beta, complete)


def _answer(
    raw: bytes, status: int, headers: dict[str, str]
) -> tuple[bool, dict[str, Any] | None, dict[str, Any] | None, bool]:
    """Return ``(streamed, message, error, complete)`` of a response."""
    if not raw.strip():
        raise ContentError(say("cassette.no_body", side="response"))
    if status == 200 and _is_stream(raw, headers):
        try:
            got = assemble(raw)
        except StreamError as fault:
            raise ContentError(say("cassette.bad_stream", said=fault)) from None
        return True, got.message if got.complete else None, got.error, got.complete
    body = _json_object(raw, "response")
    if status != 200:
        return False, None, _error(body), True
    if not isinstance(body.get("content"), list):
        raise ContentError(say("cassette.not_message"))
    return False, body, None, True


def _is_stream(raw: bytes, headers: dict[str, str]) -> bool:
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:6]
    if start.startswith(b"{"):
        return False
    named = "text/event-stream" in headers.get("content-type", "").lower()
    return named or start.startswith((b"event:", b"data:", b":"))


def _error(body: dict[str, Any]) -> dict[str, Any]:
    """Return the error of an error body; one from a proxy, in a form of its own, is told by its text."""
    error = body.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return {"type": "api_error"} | error
    return {"type": "api_error", "message": json.dumps(body, ensure_ascii=False)[:400]}


def _request_body(request: dict[str, Any]) -> bytes:
    body = _body(request.get("body"), request, "request")
    if body is None or not body.strip():
        raise ContentError(say("cassette.no_body", side="request"))
    return body


def _response_body(response: dict[str, Any]) -> bytes:
    held = response.get("body", response.get("content"))  # httpx cassettes of vcrpy < 6 said "content"
    if isinstance(held, dict):
        held = held.get("string", held.get("base64_string"))
    body = _body(held, response, "response")
    if body is None:
        raise ContentError(say("cassette.no_body", side="response"))
    return body


def _body(held: Any, side: dict[str, Any], name: str) -> bytes | None:
    """Return the bytes of a body, decoded; ``parsed_body`` as the JSON it stands for."""
    if held is None and side.get("parsed_body") is not None:
        return json.dumps(plain(side["parsed_body"]), ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
    if held is not None and not isinstance(held, (str, bytes)):
        raise ContentError(say("cassette.odd_body", side=name, seen=type(held).__name__))
    body = as_bytes(held)
    try:
        return None if body is None else decoded(body)
    except ValueError as fault:
        raise ContentError(say("cassette.bad_gzip", side=name, reason=fault)) from None


def _json_object(raw: bytes, side: str) -> dict[str, Any]:
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except RecursionError:
        raise ContentError(say("cassette.deep_body", side=side, limit=MAX_DEPTH)) from None
    except ValueError as fault:
        raise ContentError(say("cassette.not_json", side=side, reason=fault)) from None
    if not isinstance(value, dict):
        raise ContentError(say("cassette.not_object", side=side, seen=type(value).__name__))
    if deeper_than(value, MAX_DEPTH):
        raise ContentError(say("cassette.deep_body", side=side, limit=MAX_DEPTH))
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _status(response: dict[str, Any]) -> int:
    held = response.get("status")
    code = held.get("code") if isinstance(held, dict) else response.get("status_code", held)
    if type(code) is not int or not 100 <= code <= 599:
        raise ContentError(say("cassette.status", seen=visible(str(code)[:40])))
    return code


def _headers(response: dict[str, Any]) -> dict[str, Any]:
    headers = response.get("headers")
    if headers is None:
        return {}
    if not isinstance(headers, dict):
        raise ContentError(say("cassette.headers", seen=type(headers).__name__))
    return {str(name): value for name, value in headers.items()}


def _kept(headers: dict[str, Any]) -> dict[str, str]:
    """Return the response headers that may be kept (rule 3), one text each."""
    kept: dict[str, list[str]] = {}
    for name, value in headers.items():
        if ruling(name, RESPONSE_HEADERS) != DROP:
            kept.setdefault(name.lower(), []).extend(header_values(value))
    return {name: ", ".join(values) for name, values in sorted(kept.items())}


def _method(request: dict[str, Any]) -> str:
    method = request.get("method")
    if not isinstance(method, str):
        raise ContentError(say("cassette.method", seen=type(method).__name__))
    return method.upper()


def _uri(request: dict[str, Any]) -> Any:
    uri = request.get("uri")
    if not isinstance(uri, str):
        raise ContentError(say("cassette.uri", seen=type(uri).__name__))
    try:
        return urlsplit(uri)
    except ValueError as fault:
        raise ContentError(say("cassette.uri", seen=fault)) from None
