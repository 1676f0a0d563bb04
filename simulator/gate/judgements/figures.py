"""Token counts in what a loop hands back, under whatever names it gives them.

Rules of this file:

1. A table is an object with a number for what went in and one for what came out. What a table says of a
   limit, of a price or of one answer only (``last_usage``) claims no total.
2. Tables in a list are entries: one for each answer, a sum that grows from one to the next, or, where there
   is one only, the sum at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ONE_ANSWER = re.compile(
    r"last|final|response|message|answer|turn|step|limit|max|budget|allowed|left|remain|price|rate|cost|estimat"
    r"|previous|before|delta|per_|sub|child",
    re.IGNORECASE,
)
"""Keys under which figures are not those of the whole run."""

ABOUT_TOKENS = re.compile(r"usage|spen[dt]|token|total|consum|gast", re.IGNORECASE)
"""Keys under which ``input`` and ``output`` alone are token counts."""

ALL_TOKENS = re.compile(
    r"(?:total_?|all_?)?tokens(?:_?(?:used|spent|total))?|(?:used|spent)_?tokens", re.IGNORECASE
)
"""Keys of a single figure for all tokens of a run."""


@dataclass(frozen=True, slots=True)
class Table:
    """Token counts that stand together; None for what is not stated.

    ``entry``: it stands in a list; ``one_answer``: under a key that claims no total (rule 1).
    """

    input: int
    output: int
    written: int | None = None
    read: int | None = None
    cached: int | None = None
    """One figure for all cache tokens."""
    total: int | None = None
    entry: bool = False
    one_answer: bool = False
    where: str = ""


def tables(value: Any, path: tuple[str, ...] = (), entry: bool = False) -> Iterator[Table]:
    """Yield the tables of a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from tables(item, path, entry=True)
    elif isinstance(value, dict):
        found = _table(value, path, entry)
        if found is not None:
            yield found
        for key, item in value.items():
            yield from tables(item, (*path, str(key)), entry)


def totals(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Yield ``(place, number)`` of every single figure that may be all tokens of the run."""
    for key, item in value.items() if isinstance(value, dict) else ():
        here = (*path, str(key))
        if ONE_ANSWER.search(str(key)):
            continue
        if ALL_TOKENS.fullmatch(str(key)) and isinstance(item, int) and not isinstance(item, bool):
            yield ".".join(here), item
        yield from totals(item, here)


def _table(value: dict[str, Any], path: tuple[str, ...], entry: bool) -> Table | None:
    about = any(ABOUT_TOKENS.search(key) for key in path) or bool(
        ABOUT_TOKENS.search(str(value.get("class", "")))
    )
    found: dict[str, int] = {}
    for key, number in value.items():
        kind = _kind(str(key), about)
        if kind and (number is None or (isinstance(number, int) and not isinstance(number, bool))):
            found.setdefault(kind, number or 0)
    if not {"input", "output"} <= found.keys():
        return None
    one_answer = any(ONE_ANSWER.search(key) for key in path)
    return Table(**found, entry=entry, one_answer=one_answer, where=".".join(path))


def _kind(key: str, about: bool) -> str | None:
    """Return which figure *key* names; short names count only where tokens are spoken of."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
    if "cache" in name:
        if re.search(r"creat|writ", name):
            return "written"
        return "read" if re.search(r"read|hit", name) else "cached"
    if "token" not in name and not about:
        return None
    for kind, words in (("input", r"input|prompt|\bin\b"), ("output", r"output|completion|\bout\b")):
        if re.search(words, name.replace("_", " ")):
            return kind
    return "total" if re.search(r"total|^tokens$|sum", name) else None
