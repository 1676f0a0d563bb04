"""Event objects as the bytes of a ``text/event-stream`` body, and back.

Rules of this file:

1. Bytes and text may be cut anywhere: inside a character, a line end, an event.
2. Line ends are LF, CR LF or CR; comments, unknown fields and records without data are passed over, as
   https://html.spec.whatwg.org/multipage/server-sent-events.html says. U+2028 and its like are no line ends.
3. A record that ended with its empty line and is not a JSON object is a :class:`StreamError`; one that was
   cut off at the end of the stream is dropped.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simulator.text import say
from simulator.text.visible import visible

Event = dict[str, Any]
"""One event object: ``{"type": "message_start", "message": {...}}``, ``{"type": "ping"}`` …"""

_LINE_END = re.compile(r"\r\n|\r|\n")


class StreamError(ValueError):
    """The events break their own format; ``str()`` says what was seen and which event it was."""


def to_sse(events: Iterable[Mapping[str, Any]]) -> bytes:
    """Return *events* as the body of a ``text/event-stream`` response, UTF-8, LF line ends."""
    return b"".join(_record(event) for event in events)


def _record(event: Mapping[str, Any]) -> bytes:
    head = f"event: {event.get('type', 'message')}\ndata: "
    try:
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # Half a surrogate pair has no UTF-8; as a JSON escape it survives.
        data = json.dumps(event, separators=(",", ":")).encode("ascii")
    return head.encode("utf-8", "replace") + data + b"\n\n"


class Decoder:
    """Reads server-sent events from bytes or text that arrive in any pieces.

    ``feed(piece)`` returns the events completed by the piece; ``close()`` those that only lacked their empty
    line (a cassette's YAML may strip it). Text that ends inside an event is a cut, and dropped.
    """

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._rest: list[str] = []
        self._after_cr = False
        self._name = ""
        self._data: list[str] = []
        self._seen = 0

    def feed(self, piece: bytes | str) -> list[Event]:
        """Return the events that *piece* completes. Raises StreamError if it is no UTF-8, no JSON."""
        text = self._text(piece)
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        if "\n" not in text and "\r" not in text:
            self._rest.append(text)
            return []
        self._after_cr = text.endswith("\r")
        *lines, rest = _LINE_END.split("".join(self._rest) + text)
        self._rest = [rest]
        return [event for line in lines for event in self._line(line)]

    def close(self) -> list[Event]:
        """Return the event that was whole but for its empty line, if there is one."""
        lines, self._rest = ["".join(self._rest)], []
        try:
            return [event for line in [*lines, ""] for event in self._line(line)]
        except StreamError:
            return []  # It ended inside this event: a cut stream (rule 3).

    def _text(self, piece: bytes | str) -> str:
        if isinstance(piece, str):
            return piece
        try:
            return self._utf8.decode(piece)
        except UnicodeDecodeError as fault:
            raise StreamError(say("cassette.stream.utf8", number=self._seen, reason=fault.reason)) from None

    def _line(self, line: str) -> Iterator[Event]:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._name = value
            elif name == "data":
                self._data.append(value)
            return
        name, data = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        if data:
            self._seen += 1
            yield _event(name, data, self._seen)


def _event(name: str, data: str, number: int) -> Event:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise StreamError(
            say("cassette.stream.event", number=number, name=name or "?", seen=visible(data[:60]))
        )
    event.setdefault("type", name)
    return event


def from_sse(raw: bytes | str) -> list[Event]:
    """Return the events of a whole ``text/event-stream`` body, pings kept. Raises StreamError."""
    decoder = Decoder()
    return [*decoder.feed(raw), *decoder.close()]
