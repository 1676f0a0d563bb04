"""The real Anthropic SDK on a replay: its transport is the recording, and there is no other.

Rules of this file:

1. No socket is ever opened: the transport answers in memory, and proxies of the environment are not read.
2. One call of the loop is one request (``max_retries=0``): the SDK's own retries would swallow a recorded 429
   before the loop sees it, and sleep in between. Ask for them (``max_retries=2``) to watch the SDK retry.
3. A stop of the simulator passes through the SDK as it is. It is a ``BaseException``, so the SDK does not
   take it for a failed connection.

This module imports the SDK; whoever wants to stay cheap imports it where a client is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anthropic
import httpx2

if TYPE_CHECKING:
    from simulator.recording.replay import Replay

API_KEY = "offline"
"""Stands where the SDK wants a key. It goes nowhere."""

BASE_URL = "https://api.anthropic.com"
PATH = "/v1/messages"


class Transport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """A transport for ``httpx2`` clients, sync and async, that answers from a replay.

    Raises SimulatorStop when the replay does, and for every endpoint but ``POST /v1/messages``.
    """

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer *request*."""
        return self._answer(request, request.read())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer *request*; nothing is waited for but the request's own body."""
        return self._answer(request, await request.aread())

    def _answer(self, request: httpx2.Request, raw: bytes) -> httpx2.Response:
        if request.method != "POST" or request.url.path != PATH:
            self._replay.refuse_endpoint(request.method, request.url.path)
        answer = self._replay.answer(raw)
        return httpx2.Response(answer.status, headers=answer.headers, content=answer.body)


def client(replay: Replay, **options: Any) -> anthropic.Anthropic:
    """Return an ``anthropic.Anthropic`` on *replay*; *options* are those of its constructor."""
    http = httpx2.Client(transport=Transport(replay), trust_env=False)
    return anthropic.Anthropic(**_defaults(options), http_client=http)


def async_client(replay: Replay, **options: Any) -> anthropic.AsyncAnthropic:
    """Return an ``anthropic.AsyncAnthropic`` on *replay*; *options* are those of its constructor."""
    http = httpx2.AsyncClient(transport=Transport(replay), trust_env=False)
    return anthropic.AsyncAnthropic(**_defaults(options), http_client=http)


def _defaults(options: dict[str, Any]) -> dict[str, Any]:
    return {"api_key": API_KEY, "base_url": BASE_URL, "max_retries": 0} | options
