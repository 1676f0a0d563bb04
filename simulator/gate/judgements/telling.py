"""Does a loop's caller learn something? What was returned or raised, searched for a word or a flag of it.

Rules of this file:

1. Any form counts: a response with that ``stop_reason``, a flag, a status, a notice beside the text, the name
   or the text of an exception. The model's own words never count: they may well speak of the matter.
2. A flag that says the opposite counts when it is false: ``complete: False``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.ending import squeeze
from simulator.gate.judgements.reading import Exchange

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SAYS_WHOLE = re.compile(
    r"(?:is_?)?(?:complete|completed|finished|whole|done|ok|success|completa|completo)", re.IGNORECASE
)
"""Names of flags that say the opposite when they are false."""


def tells(trace: Trace, seen: list[Exchange], words: re.Pattern[str], limits: Collection[str] = ()) -> bool:
    """True when what the loop handed back names what *words* describe, the model's own words aside.

    *limits* are keys that state a setting and not that anything happened: ``max_tokens``.
    """
    own = [squeeze(one.text) for one in seen if one.text]
    search = _Search(words, own, frozenset(limits))
    named = [trace.exit.error_type or "", trace.exit.message or ""]
    return search.value(trace.exit.value) or any(search.text(text) for text in named)


class _Search:
    def __init__(self, words: re.Pattern[str], own: list[str], limits: frozenset[str]) -> None:
        self._words, self._own, self._limits = words, own, limits

    def value(self, value: Any) -> bool:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return any(self.value(item) for item in value)
        if isinstance(value, dict):
            return any(self.flag(str(key), item) or self.value(item) for key, item in value.items())
        return False

    def flag(self, key: str, value: Any) -> bool:
        if SAYS_WHOLE.fullmatch(key):
            return value is False
        return bool(self._words.search(key)) and bool(value) and key not in self._limits

    def text(self, text: str) -> bool:
        rest = squeeze(text)
        for said in self._own:
            rest = rest.replace(said, " ")
        return bool(self._words.search(rest))


def mentions(value: Any, own: Collection[str], words: re.Pattern[str]) -> bool:
    """True when the JSON *value* names what *words* describe; the texts *own* in it do not count."""
    return _Search(words, [squeeze(text) for text in own if text], frozenset()).value(value)
