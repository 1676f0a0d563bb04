"""A message of the API as the events of a stream, and back.

Rules of this file:

1. What is not known is passed over: an event type, a delta type. What is known and broken (a delta for a
   block that never started, a tool input that is no JSON) is a :class:`StreamError`.
2. A cut stream is a value, not an error: its message holds what had arrived, and ``complete`` is False.
3. ``usage`` of a ``message_delta`` is a running total: it replaces what ``message_start`` said, never adds.

Event objects are those of https://docs.claude.com/en/docs/build-with-claude/streaming and of recordings;
``wire.sse`` turns them into bytes and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.text import say
from simulator.text.visible import visible
from simulator.wire.partial import loads_partial
from simulator.wire.sse import Decoder, Event, StreamError, from_sse, to_sse

__all__ = [
    "CHUNK",
    "Assembled",
    "Assembler",
    "Decoder",
    "Event",
    "StreamError",
    "assemble",
    "from_sse",
    "to_events",
    "to_sse",
]

CHUNK = 24
"""Characters of text or JSON in one delta, unless the caller says otherwise."""

_LATE_USAGE = ("server_tool_use", "output_tokens_details", "iterations")
_RUNNING_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_LATE_KEYS = ("stop_reason", "stop_sequence", "stop_details")


# --- a message to its events ---------------------------------------------------------------------------


def to_events(message: Mapping[str, Any], *, chunk: int | None = None, pings: bool = True) -> list[Event]:
    """Return the events by which the API would stream *message*, from ``message_start`` to ``message_stop``.

    *chunk* is the most characters one delta carries (default :data:`CHUNK`). With *pings* one ``ping``
    follows the first ``content_block_start``, where the API most often sends it. *message* is not changed.
    """
    size = max(1, CHUNK if chunk is None else chunk)
    content = message.get("content")
    events = [_message_start(message)]
    for index, block in enumerate(content if isinstance(content, list) else []):
        events += _block_events(index, block, size)
        if pings and index == 0:
            events.insert(2, {"type": "ping"})
    return [*events, _message_delta(message), {"type": "message_stop"}]


def _message_start(message: Mapping[str, Any]) -> Event:
    """The message before its first token: no content, no stop reason, the usage of its input."""
    usage = message.get("usage")
    counted = dict(usage) if isinstance(usage, Mapping) else {"input_tokens": 0, "output_tokens": 0}
    early = {key: value for key, value in counted.items() if key not in _LATE_USAGE or value is None}
    if isinstance(early.get("output_tokens"), int):
        early["output_tokens"] = min(1, early["output_tokens"])
    start = {key: value for key, value in message.items() if key != "context_management"}
    start |= {"content": [], "stop_reason": None, "stop_sequence": None}
    for key in ("stop_details", "container"):
        if key in start:
            start[key] = None
    start["usage"] = early
    return {"type": "message_start", "message": start}


def _message_delta(message: Mapping[str, Any]) -> Event:
    delta = {key: message.get(key) for key in _LATE_KEYS if key != "stop_details" or key in message}
    if message.get("container") is not None:
        delta["container"] = message["container"]
    usage = message.get("usage")
    counted = usage if isinstance(usage, Mapping) else {"output_tokens": 0}
    total = {key: counted[key] for key in (*_RUNNING_USAGE, *_LATE_USAGE) if counted.get(key) is not None}
    event: Event = {"type": "message_delta", "delta": delta, "usage": total}
    if "context_management" in message:
        event["context_management"] = message["context_management"]
    return event


def _block_events(index: int, block: Any, size: int) -> Iterator[Event]:
    start, deltas = _take_apart(block, size) if isinstance(block, dict) else (block, [])
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _take_apart(block: dict[str, Any], size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the block as it starts and the deltas that fill it; what is not streamed starts whole."""
    start, deltas = dict(block), []
    match block:
        case {"type": "text", "text": str(text)}:
            start["text"] = ""
            if isinstance(block.get("citations"), list):
                start["citations"] = []
                deltas += [{"type": "citations_delta", "citation": each} for each in block["citations"]]
            deltas += [{"type": "text_delta", "text": piece} for piece in _pieces(text, size)]
        case {"type": "thinking", "thinking": str(text), "signature": str(signature)}:
            start |= {"thinking": "", "signature": ""}
            deltas += [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(text, size)]
            deltas += [{"type": "signature_delta", "signature": signature}] if signature else []
        case {"type": "tool_use" | "server_tool_use" | "mcp_tool_use", "input": given}:
            start["input"] = {}
            # The API opens every input with an empty fragment, and sends nothing more for an empty one.
            text = "" if given == {} else json.dumps(given, ensure_ascii=False)
            deltas += [
                {"type": "input_json_delta", "partial_json": piece} for piece in ["", *_pieces(text, size)]
            ]
        case {"type": "compaction", "content": str(text)}:
            start["content"] = None
            deltas.append({"type": "compaction_delta", "content": text})
        case _:
            pass  # redacted_thinking, results of server tools, types to come: no deltas
    return start, deltas


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


# --- events to a message -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assembled:
    """What a stream came to: the message so far (None before ``message_start``), whole or not, its error."""

    message: dict[str, Any] | None
    complete: bool
    error: dict[str, Any] | None


@dataclass(slots=True)
class _Open:
    """A block while it is streamed: as it started, and the fragments since."""

    start: Any
    texts: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    citations: list[Any] = field(default_factory=list)

    def block(self, index: int) -> Any:
        if not isinstance(self.start, dict):
            return self.start
        block = self.start | self.values
        for key, parts in self.texts.items():
            if key != "partial_json":
                block[key] = str(block.get(key) or "") + "".join(parts)
        if self.citations:
            block["citations"] = [*(block.get("citations") or []), *self.citations]
        if given := "".join(self.texts.get("partial_json", [])):
            block["input"] = _input(given, index)
        return block


def _input(text: str, index: int) -> Any:
    try:
        return loads_partial(text)
    except ValueError:
        raise StreamError(say("cassette.stream.input", index=index, seen=visible(text[:60]))) from None


class Assembler:
    """Puts events together: ``feed(event)`` each; ``message``, ``complete`` and ``error`` at any time.

    Blocks may come interleaved; each belongs to its ``index``. Events after an ``error`` are not read.
    """

    def __init__(self) -> None:
        self.error: dict[str, Any] | None = None
        self._start: dict[str, Any] | None = None
        self._late: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, _Open] = {}
        self._stopped = False

    @property
    def complete(self) -> bool:
        """True once ``message_stop`` came, and no error."""
        return self._stopped and self.error is None

    @property
    def message(self) -> dict[str, Any] | None:
        """The message so far; None before ``message_start``. Raises StreamError for a broken tool input."""
        if self._start is None:
            return None
        message = self._start | self._late
        message["content"] = [self._blocks[index].block(index) for index in sorted(self._blocks)]
        if self._usage or "usage" in message:
            message["usage"] = (message.get("usage") or {}) | self._usage
        return message

    def feed(self, event: Mapping[str, Any]) -> None:
        """Take one event. Raises StreamError when it cannot follow what came before it."""
        if self.error is not None:
            return
        match event:
            case {"type": "message_start", "message": dict(message)}:
                self._start = message
            case {"type": "content_block_start", "index": int(index), "content_block": block}:
                self._started("content_block_start")
                self._blocks[index] = _Open(block)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                if index not in self._blocks:
                    raise StreamError(say("cassette.stream.block", index=index))
                self._delta(self._blocks[index], delta)
            case {"type": "message_delta"}:
                self._started("message_delta")
                self._finish(event)
            case {"type": "message_stop"}:
                self._started("message_stop")
                self._stopped = True
            case {"type": "error"}:
                given = event.get("error")
                self.error = (
                    given if isinstance(given, dict) else {"type": "api_error", "message": str(given)}
                )
            case _:
                pass  # ping, content_block_stop, events to come (rule 1)

    def _started(self, name: str) -> None:
        if self._start is None:
            raise StreamError(say("cassette.stream.early", name=name))

    def _delta(self, block: _Open, delta: dict[str, Any]) -> None:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                block.texts.setdefault("text", []).append(text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                block.texts.setdefault("thinking", []).append(text)
            case {"type": "input_json_delta", "partial_json": str(text)}:
                block.texts.setdefault("partial_json", []).append(text)
            case {"type": "citations_delta", "citation": citation}:
                block.citations.append(citation)
            case {"type": "signature_delta" | "compaction_delta"}:
                block.values |= {key: value for key, value in delta.items() if key != "type"}
            case _:
                pass  # a delta to come (rule 1): the block stays

    def _finish(self, event: Mapping[str, Any]) -> None:
        delta, usage = event.get("delta"), event.get("usage")
        self._late |= delta if isinstance(delta, dict) else {}
        self._late |= {key: event[key] for key in event if key not in ("type", "delta", "usage")}
        if isinstance(usage, dict):
            self._usage |= {key: value for key, value in usage.items() if value is not None}


def assemble(raw: bytes | str) -> Assembled:
    """Return what the stream *raw* comes to. Raises StreamError when it breaks its own format."""
    assembler = Assembler()
    for event in from_sse(raw):
        assembler.feed(event)
    return Assembled(assembler.message, assembler.complete, assembler.error)
