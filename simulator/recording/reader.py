"""Reads the request bodies of one run; what a body shares with the one before is not read again.

A loop sends its whole conversation each time, longer by a turn or two. Parsing it and recognising each turn
took a third of the SDK's own time at 300 turns; comparing the text that was there before takes next to
none.

Rules of this file:

1. The result is that of ``json.loads`` and ``wire.message.digest``, always; a property test holds them
   together.
2. Only a body as the SDK writes it (no blanks, plain values before ``messages``, objects in it) is read in
   parts. Any other is read whole.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, NamedTuple

from simulator.recording.digests import Digests, Turn

_BEFORE_MESSAGES = re.compile(r'\{(?:"\w+":(?:"[^"\\]*"|[-+.\w]+),)*"messages":\[')
_DECODER = json.JSONDecoder()


class Read(NamedTuple):
    """A request: its parsed body, and its digest."""

    body: dict[str, Any]
    digest: str


class _Before(NamedTuple):
    """The messages of the last body: their text from the first on, where each ends in it, what they are."""

    text: str
    ends: list[int]
    turns: list[Turn]


class Reader:
    """The bodies of one run. Equal messages of different bodies are one object and must not be changed."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._before = _Before("", [], [])

    def read(self, raw: bytes) -> Read | None:
        """Return the request in *raw*, or None when it is not a JSON object."""
        try:
            read = self._in_parts(raw.decode("utf-8"))
            return read if read is not None else self._whole(raw)
        except (ValueError, RecursionError):
            return None

    def _whole(self, raw: bytes) -> Read | None:
        body = json.loads(raw)
        if not isinstance(body, dict):
            return None
        messages = body.get("messages")
        given = messages if isinstance(messages, list) else []
        turns = {
            index: self._digests.turn(each) for index, each in enumerate(given) if isinstance(each, dict)
        }
        for index, turn in turns.items():
            given[index] = turn.message
        return Read(body, self._digests.joined(list(turns.values()), body))

    def _in_parts(self, text: str) -> Read | None:
        """Return the request in *text* when it is written as the SDK writes, else None (rule 2)."""
        head = _BEFORE_MESSAGES.match(text)
        if head is None:
            return None
        start = head.end()
        shared = self._shared(text, start)
        ends, turns = self._before.ends[:shared], self._before.turns[:shared]
        at = start + ends[-1] if ends else start
        while text[at : at + 1] != "]":
            if ends and text[at : at + 1] != ",":
                return None
            message, at = _DECODER.raw_decode(text, at + 1 if ends else at)
            if not isinstance(message, dict):
                return None
            ends.append(at - start)
            turns.append(self._digests.turn(message))
        if '"messages"' in text[at:]:  # Maybe the key is there twice; then the last one counts.
            return None
        body = json.loads(text[:start] + text[at:])
        self._before = _Before(text[start:at], ends, turns)
        body["messages"] = [turn.message for turn in turns]
        return Read(body, self._digests.joined(turns, body))

    def _shared(self, text: str, start: int) -> int:
        """Return how many messages *text*, whose messages begin at *start*, shares with the last body."""
        before, ends, _ = self._before
        if text.startswith(before, start):
            return len(ends)
        # "Differs before the end of message n" is false up to a message and true from there on.
        return bisect_right(ends, False, key=lambda end: not text.startswith(before[:end], start))
