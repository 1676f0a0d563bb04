"""Play the exchanges of a screenplay through real HTTP and the real SDK, and record them with vcrpy.

Rules of this file:

1. Nothing is faked on the way: the official SDK builds each request and parses each answer, a socket carries
   them, vcrpy records what it saw on the wire.
2. Only what depends on the machine is taken out afterwards: the address of the loopback server becomes the
   API's, request headers are cut down to :data:`REQUEST_HEADERS`, the JSON keys of a request get a fixed
   order (so that another SDK version records the same bytes).
3. What came over the wire must be what the screenplay says; anything else is an error, not a cassette.
"""

from __future__ import annotations

import json
from typing import Any

from simulator.recording import mint
from simulator.recording.scripted import Take
from simulator.recording.server import PATH, Reply, serving
from simulator.wire.interleave import interleave
from simulator.wire.stream import to_events, to_sse

URI = f"https://api.anthropic.com{PATH}"

REQUEST_HEADERS = ("accept", "content-type")
"""Request headers that say something about the request and nothing about the machine."""

KEY = "offline"
"""Stands where an API key would; it never reaches a cassette."""

Interaction = tuple[dict[str, Any], dict[str, Any]]


class StageError(RuntimeError):
    """What came over the wire is not what the screenplay says: a fault of ours or of the SDK."""


def perform(takes: list[Take]) -> list[Interaction]:
    """Play *takes* in order and return what vcrpy recorded, as ``(request, response)`` dictionaries."""
    played: list[bytes] = []

    def reply(raw: bytes) -> Reply:
        played.append(raw)
        return _reply(takes[len(played) - 1])

    with serving(reply) as url:
        recorded = _record(url, takes)
    for take, raw in zip(takes, played, strict=True):
        if json.loads(raw) != take.body:
            raise StageError(f"{take.label}: the SDK sent another request than the screenplay's")
    return [_settle(*each, take) for each, take in zip(recorded, takes, strict=True)]


def _record(url: str, takes: list[Take]) -> list[Interaction]:
    """Send every take from an SDK client under vcrpy; return its interactions."""
    import anthropic
    import vcr  # type: ignore[import-untyped]  # vcrpy ships no types
    from vcr.persisters.filesystem import CassetteNotFoundError  # type: ignore[import-untyped]  # as above

    kept: list[dict[str, Any]] = []

    class Memory:
        """A persister that keeps what vcrpy would write, since ``cassette.write`` does the writing."""

        @classmethod
        def load_cassette(cls, *_: object, **__: object) -> None:
            raise CassetteNotFoundError

        @staticmethod
        def save_cassette(_: object, cassette: dict[str, Any], **__: object) -> None:
            kept.append(cassette)

    recorder = vcr.VCR(record_mode="all")
    recorder.register_persister(Memory)
    # No proxy and no base URL from the environment: this never leaves the machine.
    http = anthropic.DefaultHttpxClient(trust_env=False)
    with (
        recorder.use_cassette("screenplay.yaml"),
        anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http) as client,
    ):
        for take in takes:
            _send(client, take)
    cassette = kept[-1]
    pairs = zip(cassette["requests"], cassette["responses"], strict=True)
    return [(request._to_dict(), response) for request, response in pairs]


def _send(client: Any, take: Take) -> None:
    """Send one request as a loop would and hold the SDK's reading of the answer against the screenplay."""
    import anthropic

    body = {key: value for key, value in take.body.items() if key != "stream"}
    if take.events is not None:
        _send_broken(client, take, body)
        return
    try:
        if take.stream:
            with client.messages.stream(**body) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**body)
    except anthropic.APIStatusError as error:
        if error.status_code != take.status:
            raise StageError(f"{take.label}: {error.message}") from error
        return
    got = (message.id, message.stop_reason, [block.type for block in message.content])
    answer = take.answer
    if take.status != 200 or got != (
        answer["id"],
        answer["stop_reason"],
        [block["type"] for block in answer["content"]],
    ):
        raise StageError(f"{take.label}: the SDK read another answer than the screenplay's")


def _send_broken(client: Any, take: Take, body: dict[str, Any]) -> None:
    """Send a request whose stream breaks off; the SDK reads as far as it comes, or meets the error event."""
    import anthropic

    message = None
    try:
        with client.messages.stream(**body) as stream:
            for _ in stream:
                message = stream.current_message_snapshot
    except anthropic.APIStatusError as error:
        if take.fault is None:
            raise StageError(f"{take.label}: {error.message}") from error
    if message is not None and (message.id != take.answer["id"] or message.stop_reason is not None):
        raise StageError(f"{take.label}: the SDK read another answer than the screenplay's")


def _reply(take: Take) -> Reply:
    """Return what the API's front would send for *take*."""
    headers = {"request-id": take.request_id}
    if take.status != 200:
        headers["x-should-retry"] = "true" if take.status == 429 or take.status >= 500 else "false"
        if take.retry_after is not None:
            headers["retry-after"] = str(take.retry_after)
    if take.stream:
        headers |= {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        events = to_events(take.answer)
        events = (interleave(events) if take.interleaved else events)[: take.events]
        events += [{"type": "error", "error": take.fault}] if take.fault is not None else []
        return Reply(take.status, to_sse(events), headers)
    headers["content-type"] = "application/json"
    return Reply(take.status, mint.compact(take.answer).encode("utf-8"), headers)


def _settle(request: dict[str, Any], response: dict[str, Any], take: Take) -> Interaction:
    """Take out of one interaction what depends on the machine (rule 2)."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    settled = {
        "method": request["method"],
        "uri": URI,
        "body": mint.compact(take.body),
        "headers": {name: headers[name] for name in REQUEST_HEADERS if name in headers},
    }
    return settled, {**response, "headers": dict(sorted(response["headers"].items()))}
