"""Which ``tool_use`` block a call of a handler answers.

Rule of this file: a call answers the first block of the last response with its name and input that has no
call yet; where all of them have one, the first of them (a loop tries a failed tool again).
"""

from __future__ import annotations

from typing import Any

from simulator.wire.message import calls, canonical_json


class OpenCalls:
    """The ``tool_use`` blocks of the last response."""

    def __init__(self) -> None:
        self._blocks: list[tuple[str, str | None]] = []
        self._taken: set[int] = set()

    def clear(self) -> None:
        """Forget the last response."""
        self._blocks, self._taken = [], set()

    def ask(self, message: dict[str, Any] | None) -> None:
        """Take up the blocks of *message*, an assistant turn."""
        found = calls([message]) if message is not None else ()
        self._blocks = [
            (_key(block.get("name"), block.get("input")), _text(block.get("id"))) for block in found
        ]

    def match(self, name: str, values: dict[str, Any]) -> str | None:
        """Return the id of the block that a call of *name* with *values* answers, or None."""
        key = _key(name, values)
        places = [n for n, (asked, _) in enumerate(self._blocks) if asked == key]
        for n in [n for n in places if n not in self._taken] or places[:1]:
            self._taken.add(n)
            return self._blocks[n][1]
        return None


def _key(name: object, values: object) -> str:
    return canonical_json([name, values])


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
