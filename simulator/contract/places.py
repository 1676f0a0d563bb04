"""JSON text as a value in which the line and column of every key and value are known.

Rules of this file:

1. What is JSON, and what it means, the standard library says and nothing else. The walk beside it
   (``walk.py``) only says where things stand, and where a text that the library refuses goes wrong.
2. Size, encoding and depth are held before anything that recurses sees the text.
3. What JSON lets pass and no two readers agree on is a flaw: a key that stands twice, ``NaN``, a number that
   no double holds, half a surrogate pair.
4. A line ends with LF, CR or CR LF. Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from simulator.contract.walk import Broken, Flaw, Node, Place, walk

__all__ = ["Flaw", "Limits", "Located", "NoJsonError", "Node", "Place", "locate", "pointer"]

_BOMS = {
    b"\xef\xbb\xbf": "a byte order mark",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x00\x00\xfe\xff": "UTF-32",
}
_LINE_END = re.compile(r"\r\n|\r|\n")
_WHOLE = 2**53
"""Below this, a number without a fraction is the same as an integer and as a double."""


class Limits(NamedTuple):
    """The most bytes, levels of nesting, and values of a file."""

    bytes: int
    depth: int
    values: int


class NoJsonError(ValueError):
    """A file that is no JSON we read: the rule it breaks, ``line`` and ``column`` if there is a place."""

    def __init__(self, rule: str, values: Mapping[str, object], at: tuple[int, int] | None = None) -> None:
        super().__init__(rule)
        self.rule = rule
        self.values = values
        self.line: int | None = at[0] if at else None
        self.column: int | None = at[1] if at else None


@dataclass(frozen=True, slots=True)
class Lines:
    """The beginnings of the lines of a text."""

    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Return the lines of *text*."""
        return cls((0, *(end.end() for end in _LINE_END.finditer(text))))

    def at(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at *offset*."""
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


@dataclass(frozen=True, slots=True)
class Located:
    """A JSON ``value``, the ``text`` it was read from, where its parts stand, and the ``flaws`` in it."""

    value: Any
    text: str
    root: Node
    lines: Lines
    flaws: tuple[Flaw, ...] = field(default=())

    def node(self, place: Place) -> Node:
        """Return the node at *place*, or the nearest one around it that the text has."""
        node = self.root
        for step in place:
            child = node.children.get(step)
            if child is None:
                break
            node = child
        return node

    def has(self, place: Place) -> bool:
        """Say whether the text itself holds a value at *place*."""
        node: Node | None = self.root
        for step in place:
            node = node.children.get(step) if node is not None else None
        return node is not None

    def at(self, place: Place, *, key: bool = False) -> tuple[int, int]:
        """Return line and column of the value at *place*, of its key where *key* asks for that."""
        node = self.node(place)
        return self.lines.at(node.key if key and node.key is not None else node.start)


def pointer(place: Place) -> str:
    """Return *place* as a JSON pointer: ``/signals/max_tokens/do``; the whole document is ``""``."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in place)


def locate(raw: bytes, limits: Limits) -> Located:
    """Return the JSON of the file *raw* with its places. Raises NoJsonError."""
    if len(raw) > limits.bytes:
        raise NoJsonError("json.too_large", {"unit": "bytes", "limit": limits.bytes})
    text = _text(raw)
    lines = Lines.of(text)
    try:
        root, flaws = walk(text, limits.depth, limits.values)
    except Broken as broken:
        raise NoJsonError(broken.rule, broken.values, lines.at(broken.offset)) from None
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_float)
    except json.JSONDecodeError as error:
        raise NoJsonError("json.syntax", {"kind": "other", "seen": ""}, lines.at(error.pos)) from None
    return Located(value, text, root, lines, tuple(flaws))


def _text(raw: bytes) -> str:
    for mark, name in _BOMS.items():
        if raw.startswith(mark):
            raise NoJsonError("json.encoding", {"kind": "mark", "seen": name}, (1, 1))
    if b"\x00" in raw[:4] and raw.strip(b"\x00"):
        # The first characters of JSON are ASCII: a zero among their bytes is the other half of UTF-16 or -32.
        raise NoJsonError("json.encoding", {"kind": "mark", "seen": "UTF-16"}, (1, 1))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        seen = f"0x{raw[error.start]:02X}"
        at = Lines.of(before).at(len(before))
        raise NoJsonError("json.encoding", {"kind": "byte", "seen": seen}, at) from None


def _integer(digits: str) -> int | float:
    # Python refuses to convert very long ones; the walk has noted all that are out of range as flaws.
    return int(digits) if len(digits) <= 400 else float(digits)


def _float(digits: str) -> int | float:
    number = float(digits)
    return int(number) if abs(number) < _WHOLE and number.is_integer() else number
