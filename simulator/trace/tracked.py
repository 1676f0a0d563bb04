"""The loop's own list of messages, watched for changes.

Rules of this file:

1. The list is only read. A change is seen by the identity of its entries, and for the last two by the length
   of what they hold; a change deeper down is found at the next request, where everything is compared.
2. A loop that builds a new list and gives it the old one's name is followed to the new one.
3. What was sent is the truth; the list is followed so that one can see when and where it changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from simulator.trace.frames import attributes
from simulator.trace.jsonable import jsonable
from simulator.trace.pool import Pool
from simulator.wire.message import canonical_json

_TAIL = 2
"""Entries at the end whose contents are looked at between requests: a loop fills in its newest message."""


@dataclass(frozen=True, slots=True)
class Names:
    """Under which names the loop has its list: local variables of a frame, attributes, keys of a dict."""

    known: bool = False
    frame: FrameType | None = None
    variables: tuple[str, ...] = ()
    places: tuple[tuple[dict[str, Any], str], ...] = ()

    @classmethod
    def of(cls, own: object, frame: FrameType) -> Names:
        """Return the names of *own* that can be reached from the variables of *frame*."""
        variables = frame.f_locals
        places = [
            (inside, key)
            for value in list(variables.values())
            for inside in [value if type(value) is dict else attributes(value)]
            for key, item in list(inside.items())
            if item is own
        ]
        return cls(True, frame, tuple(name for name in variables if variables[name] is own), tuple(places))

    def others(self, own: object, frame: FrameType) -> Iterator[Any]:
        """Yield what now stands under a name of *own*; a frame's variables only while it is traced."""
        if self.variables and frame is self.frame:
            variables = frame.f_locals
            yield from [variables.get(n) for n in self.variables if variables.get(n) is not own]
        yield from [inside.get(key) for inside, key in self.places if inside.get(key) is not own]


class Tracked:
    """The list being followed, if any, and the pool numbers of its entries when last looked at."""

    def __init__(self, pool: Pool) -> None:
        self.own: list[Any] | tuple[Any, ...] | None = None
        self.refs: list[int] = []
        self._pool = pool
        self.names = Names()
        self._entries: list[Any] = []
        self._tail: list[Any] = []
        self._moved = False

    def follow(self, own: Any, refs: list[int] | None = None) -> None:
        """Follow *own* from now on; *refs* are the numbers of its entries, where they are known."""
        if own is not self.own:
            self.names = Names()
        self.own, self._moved = own, False
        if own is None:
            self._entries, self._tail, self.refs = [], [], []
            return
        self._entries = list(own)
        self._tail = _lengths(self._entries)
        self.refs = [self._ref(entry) for entry in self._entries] if refs is None else refs

    def stirred(self) -> bool:
        """Return whether the list has changed since it was last looked at. Cheap: no entry is opened."""
        own = self.own
        if own is None or self._moved:
            return self._moved
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
        now = list(self.own)
        same = 0 if whole else self._unchanged(now)
        self.refs = self.refs[:same] + [self._ref(entry) for entry in now[same:]]
        self._entries, self._tail, self._moved = now, _lengths(now), False
        return self.refs

    def _unchanged(self, now: list[Any]) -> int:
        """Return how many entries from the start are those of the last look, as far as is cheap to see."""
        before = self._entries
        head = max(0, len(before) - _TAIL)
        same = _shared(now, before, head)
        if same < head:
            return same
        for entry, old, lengths in zip(now[head:], before[head:], self._tail, strict=False):
            if entry is not old or _lengths([entry]) != [lengths]:
                break
            same += 1
        return same

    def renamed(self, frame: FrameType, code: CodeType) -> None:
        """Follow the list that has taken this one's place under one of its names, if one has.

        *frame* is a frame of the loop's source that is being traced, *code* the loop's own function.
        """
        own = self.own
        if own is None:
            return
        if not self.names.known and frame.f_code is code:
            self.names = Names.of(own, frame)
        for other in self.names.others(own, frame):
            if isinstance(other, (list, tuple)) and other and all(map(_like_message, other)):
                self.own, self._moved, self.names = other, True, Names.of(other, frame)
                return

    def holds(self, candidate: Any, refs: list[int]) -> bool:
        """Return whether the entries of *candidate* are the messages *refs*."""
        if len(candidate) != len(refs) or not all(map(_like_message, candidate)):
            return False
        # The newest message tells most lists apart, so it is compared first.
        pairs = zip(reversed(candidate), reversed(refs), strict=True)
        return all(canonical_json(jsonable(entry)) == self._pool.texts[ref] for entry, ref in pairs)

    def _ref(self, entry: Any) -> int:
        return self._pool.ref(jsonable(entry))


def _shared(now: list[Any], before: list[Any], limit: int) -> int:
    """Return how many of the first *limit* entries are the same objects; fast where all of them are."""
    # Mapping to ids compares at the speed of C and asks no entry how it compares.
    if len(now) >= limit and list(map(id, now[:limit])) == list(map(id, before[:limit])):
        return limit
    pairs = zip(now[:limit], before[:limit], strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one is not other), min(limit, len(now)))


def _like_message(entry: Any) -> bool:
    return "role" in entry if isinstance(entry, dict) else hasattr(type(entry), "model_dump")


def _lengths(entries: Any) -> list[Any]:
    """Return the identity and length of the contents of the last entries."""
    found: list[Any] = []
    for entry in entries[-_TAIL:]:
        content: Any = entry.get("content") if type(entry) is dict else entry
        found.append((id(content), len(content) if isinstance(content, (list, str)) else 0))
    return found
