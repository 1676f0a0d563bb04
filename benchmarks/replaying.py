"""One request: the replay against the SDK on an in-memory transport, and against vcrpy as it comes.

What is timed is ``client.messages.create`` with the last request of the conversation, the longest: the SDK
builds and sends it, the transport answers, the SDK reads the answer. Loading and indexing is not timed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import conversation
from benchmarks.measure import Call, Figure, ratio

ENDLESS = 10**9


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the figures at each length."""
    for turns in (10, 50) if quick else (10, 50, 100, 300):
        yield ratio(
            "a replayed request against an in-memory transport",
            f"{turns} turns",
            ("replay", replayed(turns)),
            ("httpx2.MockTransport", on_transport(turns)),
            3 if quick else 40,
            1.3,
        )
    for turns in (10,) if quick else (10, 50, 100):
        yield against_vcrpy(turns, 2 if quick else 7)


def replayed(turns: int) -> Call:
    """Return a call that sends the last request of a conversation of *turns* to our replay."""
    session = conversation.scenario(turns // 2).start(max_requests=ENDLESS)
    body = conversation.request(turns // 2 - 1)
    return lambda: session.client.messages.create(**body)


def on_transport(turns: int) -> Call:
    """Return a call that sends the same request to a transport that always gives the same bytes."""
    import anthropic
    import httpx2

    raw = json.dumps(conversation.answer(turns // 2 - 1, turns // 2)).encode()
    headers = {"content-type": "application/json"}
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=headers, content=raw))
    http = httpx2.Client(transport=transport, trust_env=False)
    client = anthropic.Anthropic(api_key="offline", max_retries=0, http_client=http)
    body = conversation.request(turns // 2 - 1)
    return lambda: client.messages.create(**body)


def against_vcrpy(turns: int, rounds: int) -> Figure:
    """Return the figure against vcrpy playing the same conversation, matching on the body."""
    import anthropic
    import vcr  # type: ignore[import-untyped]  # vcrpy has no types

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cassette.json"
        path.write_text(json.dumps(cassette(turns)), encoding="utf-8")
        recorder = vcr.VCR(serializer="json", record_mode="none", match_on=["method", "uri", "body"])
        body = conversation.request(turns // 2 - 1)
        ours = replayed(turns)
        with recorder.use_cassette(str(path), allow_playback_repeats=True):
            client = anthropic.Anthropic(api_key="offline", max_retries=0)
            return ratio(
                "a replayed request against vcrpy matching on the body",
                f"{turns} turns",
                ("replay", ours),
                ("vcrpy", lambda: client.messages.create(**body)),
                rounds,
                1.0,
            )


def cassette(turns: int) -> dict[str, Any]:
    """Return a vcrpy cassette of a conversation of *turns*."""
    return {"version": 1, "interactions": [interaction(number, turns // 2) for number in range(turns // 2)]}


def interaction(number: int, requests: int) -> dict[str, Any]:
    """Return exchange *number* as vcrpy holds it."""
    return {
        "request": {
            "method": "POST",
            "uri": "https://api.anthropic.com/v1/messages",
            "headers": {"content-type": ["application/json"]},
            "body": json.dumps(conversation.request(number)),
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"]},
            "body": {"string": json.dumps(conversation.answer(number, requests))},
        },
    }
