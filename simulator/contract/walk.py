"""A walk along JSON text that notes where everything stands, or where it stops being JSON.

Rules of this file:

1. No recursion: the walk has a stack of its own, and its depth is limited.
2. One pass, each character looked at a few times at most, whatever the text holds.
3. A text is walked to its end exactly if ``json.loads`` reads it (a test holds that), apart from the depth.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

State = Callable[[], Any]
"""A step of the walk; it returns the next one, None at the end."""

Place = tuple[str | int, ...]
"""Where a value stands: ``("signals", "max_tokens", "do")``."""

_SPACE = re.compile(r"[ \t\n\r]*")
_CHARS = re.compile(r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CONSTANT = re.compile(r"true|false|null|-?Infinity|NaN")
_TOKEN = re.compile(r"[+\-.\w]{1,40}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EXACT = 2**53 - 1
"""The largest integer that every reader of JSON reads as the same number."""


class Broken(Exception):  # noqa: N818  # a signal between two files, not an error that anybody is told
    """The walk cannot go on at ``offset``: the rule that is broken there, and what is to be said about it."""

    def __init__(self, rule: str, offset: int, **values: object) -> None:
        super().__init__(rule)
        self.rule = rule
        self.offset = offset
        self.values: Mapping[str, object] = values


@dataclass(frozen=True, slots=True)
class Flaw:
    """What JSON allows at ``place`` and a contract does not; ``key``: it is the key that is wrong."""

    rule: str
    place: Place
    offset: int
    key: bool = False
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Node:
    """A value in the text: offsets of its key (None: it has none), its first character, behind its last."""

    key: int | None
    start: int
    end: int = -1
    children: dict[str | int, Node] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """An object or array whose end is not reached. ``name`` is the key or index of the value to come."""

    node: Node
    is_object: bool
    name: str | int = 0
    key: int | None = None


def walk(text: str, max_depth: int, max_values: int) -> tuple[Node, list[Flaw]]:
    """Return the root of the values of *text*, and the flaws in them. Raises Broken."""
    walker = _Walk(text, max_depth, max_values)
    state: State | None = walker.value
    while state is not None:
        walker.skip()
        state = state()
    return walker.root, walker.flaws


class _Walk:
    """Where the walk is. Each state takes what stands at ``at`` and returns the state after it."""

    def __init__(self, text: str, max_depth: int, max_values: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.max_values = max_values
        self.values = 0
        self.at = 0
        self.stack: list[_Open] = []
        self.root = Node(None, 0)
        self.flaws: list[Flaw] = []

    def skip(self) -> None:
        """Go on to what is no white space."""
        self.at = _end(_SPACE, self.text, self.at)

    def value(self) -> State:
        """Take a value, or the beginning of an object or array."""
        self.values += 1
        if self.values > self.max_values:
            raise Broken("json.too_large", self.at, unit="values", limit=self.max_values)
        top = self.stack[-1] if self.stack else None
        node = Node(top.key if top else None, self.at)
        if top is None:
            self.root = node
        else:
            top.node.children[top.name] = node
        mark = self.text[self.at : self.at + 1]
        if mark not in ("{", "["):
            self._scalar(mark)
            node.end = self.at
            return self.next if self.stack else self.end
        if len(self.stack) >= self.max_depth:
            raise Broken("json.too_deep", self.at, limit=self.max_depth)
        self.stack.append(_Open(node, mark == "{"))
        self.at += 1
        return self.first

    def first(self) -> State:
        """Take the end of an empty object or array, else what is first in it."""
        return self._close() or (self.key if self.stack[-1].is_object else self.value)

    def next(self) -> State:
        """Take a comma, or the end of the object or array."""
        closed = self._close()
        if closed is not None:
            return closed
        if self.text[self.at : self.at + 1] != ",":
            self._broken("object_end" if self.stack[-1].is_object else "array_end")
        comma, self.at = self.at, self.at + 1
        self.skip()
        if self.text[self.at : self.at + 1] in ("}", "]"):
            raise Broken("json.syntax", comma, kind="trailing", seen=",")
        top = self.stack[-1]
        if isinstance(top.name, int) and not top.is_object:
            top.name += 1
        return self.key if top.is_object else self.value

    def key(self) -> State:
        """Take a key."""
        if self.text[self.at : self.at + 1] != '"':
            self._broken("key")
        top, top.key = self.stack[-1], self.at
        top.name = self._string()
        self._lone(top.name, top.key, key=True)
        if top.name in top.node.children:
            # The later one counts, as for json.loads; where the earlier stands is what a reader has to know.
            earlier = top.node.children[top.name].key
            self._flaw("json.duplicate_key", top.key, key=True, earlier=earlier)
        return self.colon

    def colon(self) -> State:
        """Take the colon behind a key."""
        if self.text[self.at : self.at + 1] != ":":
            self._broken("colon")
        self.at += 1
        return self.value

    def end(self) -> State | None:
        """Nothing may stand behind the root."""
        if self.at < len(self.text):
            self._broken("extra")
        return None

    def _close(self) -> State | None:
        top = self.stack[-1]
        if self.text[self.at : self.at + 1] != ("}" if top.is_object else "]"):
            return None
        self.at += 1
        top.node.end = self.at
        self.stack.pop()
        return self.next if self.stack else self.end

    def _scalar(self, mark: str) -> None:
        start = self.at
        if mark == '"':
            self._lone(self._string(), start)
            return
        if constant := _CONSTANT.match(self.text, start):
            self.at = constant.end()
            if constant.group() not in ("true", "false", "null"):
                self._flaw("json.number", start, seen=constant.group())
        elif number := _NUMBER.match(self.text, start):
            self.at = number.end()
            if _out_of_range(number.group()):
                self._flaw("json.number", start, seen=number.group())
        if self.at == start or _TOKEN.match(self.text, self.at):
            self.at = start
            self._broken("value")

    def _string(self) -> str:
        start, self.at = self.at, _end(_CHARS, self.text, self.at + 1)
        stopped = self.text[self.at : self.at + 1]
        if stopped != '"':
            if stopped in ("", "\r", "\n"):
                raise Broken(
                    "json.syntax", start, kind="string", seen=self.text[start : min(self.at, start + 40)]
                )
            kind = "escape" if stopped == "\\" else "control"
            raise Broken("json.syntax", self.at, kind=kind, seen=self.text[self.at : self.at + 2])
        self.at += 1
        inner = self.text[start + 1 : self.at - 1]
        return str(json.loads(f'"{inner}"')) if "\\" in inner else inner

    def _lone(self, string: str, offset: int, *, key: bool = False) -> None:
        if found := _SURROGATE.search(string):
            self._flaw(
                "json.encoding", offset, key=key, kind="surrogate", seen=f"\\u{ord(found.group()):04x}"
            )

    def _flaw(self, rule: str, offset: int, *, key: bool = False, **values: object) -> None:
        place = tuple(level.name for level in self.stack)
        self.flaws.append(Flaw(rule, place, offset, key, values))

    def _broken(self, kind: str) -> None:
        """Raise Broken for *kind*, what was expected; or for the slip of the pen that explains it."""
        mark = self.text[self.at : self.at + 1]
        token = _TOKEN.match(self.text, self.at)
        seen = token.group() if token else mark
        if not mark:
            kind = "end" if self.text.strip(" \t\n\r") else "empty"
        elif mark in ("/", "#"):
            kind = "comment"
        elif mark in ("'", "`", "\u201c", "\u201d", "\u2018", "\u2019"):
            kind = "quote"
        elif kind == "value" and seen in _FOREIGN:
            kind = "foreign"
        elif kind == "value" and token and seen[0] in "+-.0123456789":
            kind = "number"
        raise Broken("json.syntax", self.at, kind=kind, seen=seen)


_FOREIGN = {"True", "False", "None", "undefined", "nan", "inf", "Inf"}


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return where *pattern*, which matches nothing as well, ends."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _out_of_range(digits: str) -> bool:
    if digits.lstrip("-").isdigit():
        return len(digits) > 20 or abs(int(digits)) > _EXACT
    return math.isinf(float(digits))
