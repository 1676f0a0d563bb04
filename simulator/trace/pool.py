"""Distinct messages under small numbers, and what changes a list of those numbers.

Rules of this file:

1. Two messages share a number exactly when their canonical JSON is equal: ``1``, ``1.0`` and ``true`` differ.
2. An operation says what changed and nothing else, so a run of N steps takes room for N changes.
3. ``apply(old, diff(old, new))`` is ``new``, whatever the two lists are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from simulator.wire.message import canonical_json

Op = dict[str, Any]
"""``{"op": "append", "refs"}``, ``{"op": "splice", "at", "delete", "refs"}``,
``{"op": "replace", "at", "ref"}`` or ``{"op": "set", "refs"}``."""

Ranges = tuple[tuple[int, int], ...]
"""A list of numbers as runs of neighbours: ``((0, 3), (7, 1))`` is ``[0, 1, 2, 7]``."""


class Pool:
    """The distinct messages of one trace; a message's number is its place in :attr:`messages`."""

    def __init__(self, messages: Iterable[Any] = ()) -> None:
        self.messages: list[Any] = []
        self.texts: list[str] = []
        """The canonical JSON of each message."""
        self._numbers: dict[str, int] = {}
        for message in messages:
            self.ref(message)

    def ref(self, message: Any) -> int:
        """Return the number of *message* (a JSON value), which is stored as a copy when it is new."""
        text = canonical_json(message)
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.messages)
            self.messages.append(copy_json(message))
            self.texts.append(text)
        return number


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_json(item) for item in value]
    return value


def diff(old: Sequence[int], new: Sequence[int]) -> list[Op]:
    """Return the operations that make *new* out of *old*: none, one, or a splice and an append."""
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    gone, come = list(old[head : len(old) - tail]), list(new[head : len(new) - tail])
    if not gone and not come:
        return []
    if not gone and not tail:
        return [{"op": "append", "refs": come}]
    if len(gone) == len(come) == 1:
        return [{"op": "replace", "at": head, "ref": come[0]}]
    if not head and not tail and old:
        return _slide(gone, come, 0) or [{"op": "set", "refs": come}]
    if not tail and come:
        return _slide(gone, come, head) or [_splice(head, gone, come)]
    return [_splice(head, gone, come)]


def apply(refs: list[int], ops: Iterable[Op]) -> None:
    """Change *refs* in place by *ops*. The ops are known to be in range (:func:`fault` says whether)."""
    for op in ops:
        match op["op"]:
            case "append":
                refs += op["refs"]
            case "splice":
                refs[op["at"] : op["at"] + op["delete"]] = op["refs"]
            case "replace":
                refs[op["at"]] = op["ref"]
            case _:
                refs[:] = op["refs"]


def fault(length: int, op: Op, size: int) -> bool:
    """Return whether *op* points outside a list of *length* numbers or a pool of *size* messages."""
    if any(ref >= size for ref in op.get("refs", [op.get("ref", 0)])):
        return True
    end = op.get("at", 0) + (1 if op["op"] == "replace" else op.get("delete", 0))
    return bool(end > length)


def ranges(refs: Sequence[int]) -> Ranges:
    """Return *refs* as runs of neighbours."""
    runs: list[tuple[int, int]] = []
    for ref in refs:
        if runs and ref == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((ref, 1))
    return tuple(runs)


def numbers(runs: Iterable[Sequence[int]]) -> list[int]:
    """Return the list that *runs* stand for; the inverse of :func:`ranges`."""
    return [ref for start, count in runs for ref in range(start, start + count)]


def _shared(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many entries *left* and *right* share from their start."""
    length = min(len(left), len(right))
    if left[:length] == right[:length]:
        return length
    return next(i for i in range(length) if left[i] != right[i])


def _splice(at: int, gone: list[int], come: list[int]) -> Op:
    return {"op": "splice", "at": at, "delete": len(gone), "refs": come}


def _slide(gone: list[int], come: list[int], at: int) -> list[Op] | None:
    """Return a splice and an append where *come* is the end of *gone* and more: a window that moved on."""
    if not gone or not come or come[0] not in gone:
        return None
    start = gone.index(come[0])
    kept = len(gone) - start
    if start == 0 or come[:kept] != gone[start:]:
        return None
    dropped: list[Op] = [_splice(at, gone[:start], [])]
    added: list[Op] = [{"op": "append", "refs": come[kept:]}] if come[kept:] else []
    return dropped + added
