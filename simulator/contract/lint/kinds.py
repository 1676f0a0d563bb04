"""What a value may be, told as a set of short words, and how such words go through an operation.

A word says what the value is: ``response``, ``block`` (of the answer), ``call`` (a tool_use block), ``text``
(written by the model), ``signal`` (stop_reason), ``result`` (a tool_result block), ``assistant`` and ``user``
(turns), ``stream``, ``event``, ``delta``, ``fragment``, ``usage``, ``response_id``, ``call_id``,
``call_name``, ``call_input``, ``block_type``; ``api`` is the function that asks, ``fn:3`` a function of the
module, ``cls:1`` a class of it, ``obj:1`` an object of that class. A sign in front of it:

``*word``  a container of such values (``*block`` is the content, ``*call`` the calls)
``.word``  a thing that holds such a value in a field
``~word``  computed from it by an operation that is known (a comparison, a method of ``str``)
``?word``  what a function from elsewhere made of it; ``?`` alone: it comes from elsewhere
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Kinds: TypeAlias = frozenset[str]

NONE: Kinds = frozenset()
OUTSIDE: Kinds = frozenset({"?"})
SIGNS = "*.~?"
DEEPEST = 3
"""Signs that a word keeps; what is deeper is not told apart any more."""

_BLOCK = {
    "text": "text",
    "id": "call_id",
    "name": "call_name",
    "input": "call_input",
    "type": "block_type",
}
FIELDS: dict[str, dict[str, str]] = {
    "response": {
        "content": "*block",
        "stop_reason": "signal",
        "usage": "usage",
        "id": "response_id",
        "delta": "delta",
        "message": "response",
    },
    "stream": {"text_stream": "*text", "current_message_snapshot": "response"},
    "event": {
        "delta": "delta",
        "message": "response",
        "content_block": "block",
        "text": "text",
        "partial_json": "fragment",
        "usage": "usage",
        "type": "event_type",
    },
    "delta": {
        "text": "text",
        "partial_json": "fragment",
        "stop_reason": "signal",
        "type": "event_type",
    },
    "block": _BLOCK,
    "call": {name: word for name, word in _BLOCK.items() if name != "text"},
}
"""Field of a value -> what it is."""

PLAIN = {
    "usage",
    "call_id",
    "call_name",
    "call_input",
    "response_id",
    "block_type",
    "event_type",
    "signal",
    "text",
}


def base(word: str) -> str:
    """Return *word* without its signs."""
    return word.lstrip(SIGNS)


def bases(kinds: Iterable[str]) -> Kinds:
    """Return the words of *kinds* without their signs."""
    return frozenset(base(word) for word in kinds)


def _signed(sign: str, word: str) -> str:
    depth = len(word) - len(base(word))
    return word if depth >= DEEPEST else sign + word


def star(kinds: Iterable[str]) -> Kinds:
    """Return what a container of *kinds* is."""
    return frozenset(_signed("*", word) for word in kinds if word != "?")


def held(kinds: Iterable[str]) -> Kinds:
    """Return what a thing with a field of *kinds* is."""
    return frozenset(_signed(".", word) for word in kinds if word != "?")


def item(kinds: Iterable[str]) -> Kinds:
    """Return what comes out of a container: by iteration, or by an index that nobody knows."""
    found: set[str] = set()
    for word in kinds:
        if word[0] in "*.":
            found.add(word[1:])
        elif word in ("stream", "response"):
            found.add("event")
        elif word[0] in "~?" or word in PLAIN:
            found.add(word)
    return frozenset(found)


def derived(kinds: Iterable[str]) -> Kinds:
    """Return what a known operation makes of *kinds*; what is deep in a container says nothing of itself."""
    found = set()
    for word in kinds:
        if word != "?" and _told(word) and "." not in word and not word.startswith("**"):
            found.add(("?" if "?" in word else "~") + base(word))
    return frozenset(found)


def unknown(kinds: Iterable[str]) -> Kinds:
    """Return what a function from elsewhere makes of *kinds*."""
    return OUTSIDE | {"?" + base(word) for word in kinds if _told(word)}


def _told(word: str) -> bool:
    return not base(word).startswith(("fn:", "obj:", "cls:", "api"))


def taken(kinds: Iterable[str], name: str) -> Kinds | None:
    """Return the field *name* of a value; None where *kinds* is nothing with known fields."""
    found: set[str] = set()
    known = False
    for word in kinds:
        fields = FIELDS.get(word.lstrip("?"))
        if fields is not None:
            known = True
            found |= (
                {"?" + base(fields[name]) if word[0] == "?" else fields[name]} if name in fields else set()
            )
    return frozenset(found) if known else None


def handed(kinds: Iterable[str]) -> bool:
    """True for what somebody else made of the calls of an answer: their results, in a turn of the user."""
    return any(word.endswith(("?block", "?call")) for word in kinds)


def words(text: str) -> Kinds:
    """Return the words of *text*."""
    return frozenset(text.split())
