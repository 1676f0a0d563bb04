"""The loop's own list of messages, watched for changes.

Rules of this file:

1. The list is only read. A change is seen by the identity of its entries, and for the last two by the length
   of what they hold; a change deeper down is found at the next request, where everything is compared.
2. What was sent is the truth; the list is followed so that one can see when and where it changed.
"""

from __future__ import annotations

from typing import Any

from simulator.trace.jsonable import jsonable
from simulator.trace.pool import Pool
from simulator.wire.message import canonical_json

_TAIL = 2
"""Entries at the end whose contents are looked at between requests: a loop fills in its newest message."""


class Tracked:
    """The list being followed, if any, and the pool numbers of its entries when last looked at."""

    def __init__(self, pool: Pool) -> None:
        self.own: list[Any] | tuple[Any, ...] | None = None
        self.refs: list[int] = []
        self._pool = pool
        self._entries: list[Any] = []
        self._tail: list[Any] = []

    def follow(self, own: Any, refs: list[int] | None = None) -> None:
        """Follow *own* from now on; *refs* are the numbers of its entries, where they are known."""
        self.own = own
        if own is None:
            self._entries, self._tail, self.refs = [], [], []
            return
        self._entries = list(own)
        self._tail = _lengths(self._entries)
        self.refs = [self._ref(entry) for entry in self._entries] if refs is None else refs

    def stirred(self) -> bool:
        """Return whether the list has changed since it was last looked at. Cheap: no entry is opened."""
        own = self.own
        if own is None:
            return False
        try:
            if type(own) is list and own != self._entries:
                return True
            return _lengths(own) != self._tail
        except Exception:
            # An entry whose comparison raises; looking again costs time and nothing else.
            return True

    def look(self, whole: bool = False) -> list[int]:
        """Return the numbers of the entries as they are now; with *whole*, every entry is read again."""
        if self.own is None:
            return self.refs
        now, before = list(self.own), self._entries
        same = 0
        if not whole:
            limit = min(len(now), len(before) - _TAIL)
            while same < limit and now[same] is before[same]:
                same += 1
        self.refs = self.refs[:same] + [self._ref(entry) for entry in now[same:]]
        self._entries, self._tail = now, _lengths(now)
        return self.refs

    def holds(self, candidate: Any, refs: list[int]) -> bool:
        """Return whether the entries of *candidate* are the messages *refs*."""
        if len(candidate) != len(refs) or not all(map(_like_message, candidate)):
            return False
        # The newest message tells most lists apart, so it is compared first.
        pairs = zip(reversed(candidate), reversed(refs), strict=True)
        return all(canonical_json(jsonable(entry)) == self._pool.texts[ref] for entry, ref in pairs)

    def _ref(self, entry: Any) -> int:
        return self._pool.ref(jsonable(entry))


def _like_message(entry: Any) -> bool:
    return "role" in entry if isinstance(entry, dict) else hasattr(type(entry), "model_dump")


def _lengths(entries: Any) -> list[Any]:
    """Return the identity and length of the contents of the last entries."""
    found: list[Any] = []
    for entry in entries[-_TAIL:]:
        content: Any = entry.get("content") if type(entry) is dict else entry
        found.append((id(content), len(content) if isinstance(content, (list, str)) else 0))
    return found
