"""Values of a contract as Python source: a literal that a reader sees as it is, and nothing but a literal.

Rules of this file:

1. ``ast.literal_eval`` of what is written here gives the value back. No text can end its literal.
2. What cannot be seen, or reorders what is seen, is written as an escape: controls, bidirectional marks,
   surrogates, blanks that are no space.
3. What is written is what ``ruff format`` at :data:`WIDTH` columns leaves alone. Where nobody can say how
   wide a text is on a screen, and it would matter, it is written in ASCII.
4. The same value gives the same source everywhere: characters are judged by a Unicode table of a fixed
   version (3.2, which every Python carries) and by ranges that stand here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

WIDTH = 110
"""Columns of a line."""

INDENT = 4

_IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x2800, 0x2800), (0x3000, 0x3000)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFC)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0x1F3FB, 0x1F3FF), (0xE0000, 0xE0FFF)),
)
"""Letters and signs by their category that show nothing, or only change what stands before them."""

_EMOJI = ((0x1F300, 0x1F5FF), (0x1F600, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF))
"""Signs that came after the fixed table."""

_NARROW = ((0x20, 0x7E), (0xA1, 0x2FF), (0x370, 0x52F), (0x2010, 0x2027), (0x2030, 0x205E), (0x20A0, 0x20B1))
_WIDE = ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3))
"""Characters of one, and of two columns, on which everybody agrees; any other has none to three."""

_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Code(str):
    """Python source that was made here. A template takes nothing else."""

    __slots__ = ()


class Columns(NamedTuple):
    """How wide a text is at least, and at most."""

    least: int
    most: int


def literal(value: object) -> Code:
    """Return *value* (JSON) as a literal on one line, however long. Raises TypeError for what is no JSON."""
    return Code(_flat(value))


def assigned(value: object, target: str) -> Code:
    """Return the statement that gives *value* (JSON) to *target*, a name or a name with its annotation."""
    head = f"{target} = "
    return Code("\n".join(_laid_out(value, 0, head, "")))


def quoted(text: str, lang: str = "any") -> Code:
    """Return *text* as a string literal on one line; with *lang* ``"ascii"``, all but ASCII is escaped."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return Code(quote + "".join(_character(each, quote, lang == "ascii") for each in text) + quote)


def quotation(text: str) -> Code:
    """Return *text* as lines for the inside of a docstring, each behind ``> ``.

    The mark keeps a line from being anything else there: a prompt of ``doctest``, a heading, white space.
    """
    lines: list[str] = []
    for paragraph in re.split(r"\s*\n\s*", text.strip()):
        lines += [f"> {line}" for line in _wrapped(paragraph.split(), WIDTH - 2)]
    return Code("\n".join(lines))


def columns(text: str) -> Columns:
    """Return how many columns of a screen *text* takes."""
    sizes = list(map(_column, text))
    return Columns(sum(size.least for size in sizes), sum(size.most for size in sizes))


@lru_cache(maxsize=4096)
def _column(each: str) -> Columns:
    code = ord(each)
    if _within(code, _NARROW):
        return Columns(1, 1)
    return Columns(2, 2) if _within(code, _WIDE) else Columns(0, 3)


# --- one line ------------------------------------------------------------------------------------------


def _flat(value: object) -> str:
    match value:
        case None | bool():
            return repr(value)
        case int():
            return str(int(value))
        case float():
            return _float(value)
        case str():
            return quoted(value)
        case Mapping():
            return "{" + ", ".join(f"{quoted(str(key))}: {_flat(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flat, value)) + "]"
        case _:
            raise TypeError(f"{type(value).__name__} is not a value of JSON")


def _float(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise TypeError(f"{value} is not a value of JSON")
    return repr(float(value)).replace("e+", "e")


@lru_cache(maxsize=4096)
def _character(each: str, quote: str, ascii_only: bool) -> str:
    """Return how *each* is written between two of *quote*."""
    if each == quote:
        return f"\\{each}"
    if each in _SHORT:
        return _SHORT[each]
    code = ord(each)
    if 0x20 <= code <= 0x7E or (not ascii_only and _is_seen(each)):
        return each
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_seen(each: str) -> bool:
    code = ord(each)
    if _within(code, _IGNORABLE):
        return False
    return unicodedata.ucd_3_2_0.category(each)[0] in "LMNPS" or _within(code, _EMOJI)


def _within(code: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


# --- several lines -------------------------------------------------------------------------------------


def _laid_out(value: object, indent: int, head: str, tail: str) -> Iterator[str]:
    """Yield the lines of *value* behind *head* and before *tail*, the first one at *indent*."""
    space = " " * indent
    if isinstance(value, str):
        yield from _text(value, space, head, tail)
        return
    flat = f"{space}{head}{_flat(value)}{tail}"
    if not value or not isinstance(value, Mapping | list | tuple) or columns(flat).most <= WIDTH:
        yield flat
        return
    pairs = isinstance(value, Mapping)
    yield f"{space}{head}{'{' if pairs else '['}"
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _laid_out(item, indent + INDENT, f"{quoted(str(key))}: ", ",")
    else:
        for item in value:
            yield from _laid_out(item, indent + INDENT, "", ",")
    yield f"{space}{'}' if pairs else ']'}{tail}"


def _text(text: str, space: str, head: str, tail: str) -> Iterator[str]:
    """Yield the lines of a string: as it is, in parentheses, or in parentheses and in pieces (rule 3)."""
    inner = space + " " * INDENT
    flat, alone = f"{space}{head}{quoted(text)}{tail}", f"{inner}{quoted(text)}"
    sizes = (columns(flat), columns(alone))
    lang = "ascii" if any(size.least <= WIDTH < size.most for size in sizes) else "any"
    flat, alone = f"{space}{head}{quoted(text, lang)}{tail}", f"{inner}{quoted(text, lang)}"
    if columns(flat).most <= WIDTH:
        yield flat
        return
    yield f"{space}{head}("
    if columns(alone).most <= WIDTH:
        yield alone
    else:
        yield from (f"{inner}{quoted(piece, lang)}" for piece in _pieces(text, WIDTH - len(inner), lang))
    yield f"{space}){tail}"


def _pieces(text: str, room: int, lang: str) -> Iterator[str]:
    """Yield *text* in pieces whose literals fit into *room*: whole lines, else words, else what fits."""

    def written(piece: str) -> str:
        return quoted(piece, lang)

    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        rest = line
        # No character is without a column: a long rest need not be measured whole, again for each piece.
        while len(rest) > room or columns(written(rest)).most > room:
            most = _fitting(rest, room, written)
            space = rest.rfind(" ", 0, most)
            cut = space + 1 if space > 0 else most
            yield rest[:cut]
            rest = rest[cut:]
        if rest:
            yield rest


def _fitting(text: str, room: int, written: Callable[[str], str]) -> int:
    """Return how many characters of *text* fit into *room* as they are *written*; at least one."""
    short, long = 1, min(len(text), room)
    while short < long:
        middle = (short + long + 1) // 2
        fits = columns(written(text[:middle])).most <= room
        short, long = (middle, long) if fits else (short, middle - 1)
    return short


def _wrapped(words: Iterable[str], room: int) -> Iterator[str]:
    """Yield lines of *words*, written for a docstring, in *room* columns; a word that is longer is cut."""
    line = ""
    for word in words:
        rest = word
        while rest:
            most = _fitting(rest, room, _inside)
            piece, rest = _inside(rest[:most]), rest[most:]
            if line and columns(f"{line} {piece}").most > room:
                yield line
                line = ""
            line = f"{line} {piece}" if line else piece
    yield line


def _inside(text: str) -> str:
    """Return *text* as it stands in a docstring."""
    return "".join(_character(each, '"', False) for each in text)
