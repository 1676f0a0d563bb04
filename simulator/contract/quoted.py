"""Text of a contract in a Markdown page: shown as data, whatever is in it.

Rules of this file:

1. Nothing from a contract stands outside a code span or a fenced block made here.
2. A value is JSON on one line. What could end its span or its table cell, or begin HTML, is written as JSON
   writes any character: ``\\u0060``. It still is the same JSON.
3. Hidden and reordering characters are shown as tokens (:mod:`simulator.text.visible`).
"""

from __future__ import annotations

import json
import re
from typing import Any

from simulator.text.visible import visible

LONGEST = 160
"""Characters of a value that are shown; how many more there are is said."""

_STRUCTURE = {ord(character): f"\\u{ord(character):04x}" for character in "`|<"}


def code(value: Any) -> str:
    """Return *value*, anything JSON can hold, as a code span that fits into a table cell."""
    return span(json.dumps(value, ensure_ascii=False))


def span(text: str) -> str:
    """Return *text*, JSON or identifiers on one line, as a code span; what is too long is cut."""
    shown = visible(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]}… (+{len(shown) - LONGEST})"
    return f"`{shown.translate(_STRUCTURE)}`"


def block(text: str, language: str = "text") -> str:
    """Return *text* as a fenced block that nothing in it can close."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"
