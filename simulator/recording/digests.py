"""The digests of many requests that repeat each other's turns.

A request carries the whole conversation so far, so making all of it canonical again costs more the longer a
run gets (at 300 turns as much as the SDK itself). Here each distinct turn is made canonical once.

Rules of this file:

1. A digest is ``wire.message.digest(body)``, always; a property test holds the two together.
2. A turn is recognised by its ``marshal`` bytes, which are equal only for values equal in type and order. A
   turn that is not recognised costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from simulator.wire.message import canonical_json, conversation

_HEAD = '{"messages":['
_PLAIN_MARSHAL = 2  # The last version whose bytes depend on the value alone, not on shared references.


class Turn(NamedTuple):
    """A message, and as canonical JSON: its blocks, without the brackets around them, and its role."""

    message: dict[str, Any]
    blocks: str
    role: str


class Digests:
    """A memory of canonical turns. Safe to share between threads: an entry is only ever set to one value."""

    def __init__(self) -> None:
        self._turns: dict[bytes, Turn] = {}

    def of(self, body: Mapping[str, Any]) -> str:
        """Return the digest of *body*."""
        messages = body.get("messages")
        given = messages if isinstance(messages, list) else []
        return self.joined([self.turn(message) for message in given if isinstance(message, dict)], body)

    def turn(self, message: dict[str, Any]) -> Turn:
        """Return *message* made canonical, now or when it was first seen.

        The turn's message is the one first seen: equal turns of different requests are one object, which is
        shared and must not be changed.
        """
        try:
            key = marshal.dumps(message, _PLAIN_MARSHAL)
        except ValueError:  # Nested deeper than marshal goes.
            return _made(message)
        known = self._turns.get(key)
        if known is None:
            known = self._turns.setdefault(key, _made(message))
        return known

    def joined(self, turns: Sequence[Turn], body: Mapping[str, Any]) -> str:
        """Return the digest of the conversation of *turns* with the system prompt and tools of *body*."""
        rest = canonical_json(conversation({"system": body.get("system"), "tools": body.get("tools")}))
        text = _HEAD + _merged(turns) + rest[len(_HEAD) :]
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _made(message: dict[str, Any]) -> Turn:
    (turn,) = conversation({"messages": [message]})["messages"]
    return Turn(message, canonical_json(turn["content"])[1:-1], canonical_json(turn["role"]))


def _merged(turns: Sequence[Turn]) -> str:
    """Return *turns* as canonical JSON without the brackets around them, same-role neighbours joined."""
    merged = []
    for role, group in groupby(turns, key=attrgetter("role")):
        content = ",".join(turn.blocks for turn in group if turn.blocks)
        merged.append(f'{{"content":[{content}],"role":{role}}}')
    return ",".join(merged)
