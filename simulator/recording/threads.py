"""Conversations that the server holds: ``thread: {"type": "create"}``, then ``{"type": "continue", ...}``.

The SDK's beta tool runner works so by default: after the first request each one carries only what is new, and
names the answer it goes on from. Rules of this file:

1. What a request leaves out is put back, so that everything above sees the whole conversation, ``tools`` and
   ``system`` included; with the key ``thread`` it loses nothing that counts.
2. An answer that this run did not give cannot be gone on from: the request stays as it is, and no recording
   answers it.
"""

from __future__ import annotations

import json
from typing import Any

KEPT = ("system", "tools", "tool_choice", "thinking")
"""What a request that goes on need not say again."""


class Threads:
    """The conversations of one run, each under the id of the answer that it ends with."""

    def __init__(self) -> None:
        self._held: dict[str, dict[str, Any]] = {}
        self._open: dict[str, Any] | None = None

    def whole(self, raw: bytes) -> bytes:
        """Return the request body *raw* with what the server holds of it; most are returned as they are."""
        self._open = None
        if b'"thread"' not in raw:
            return raw
        try:
            body = json.loads(raw)
        except ValueError:
            return raw
        thread = body.get("thread") if isinstance(body, dict) else None
        messages = body.get("messages") if isinstance(body, dict) else None
        if not isinstance(thread, dict) or not isinstance(messages, list):
            return raw
        if thread.get("type") == "continue":
            before = self._held.get(str(thread.get("previous_message_id")))
            if before is None:
                return raw
            body = {**{key: before[key] for key in KEPT if key in before}, **body}
            body["messages"] = [*before["messages"], *messages]
        del body["thread"]
        self._open = body
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    def hold(self, message: dict[str, Any] | None) -> None:
        """Keep the conversation of the last request with its answer, where the request asked for that."""
        if self._open is None or message is None:
            return
        answer = {"role": "assistant", "content": message.get("content") or []}
        self._held[str(message.get("id"))] = {**self._open, "messages": [*self._open["messages"], answer]}
