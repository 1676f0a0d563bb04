"""Every sentence a person reads, in English and Spanish, under a stable id.

Rules of this file:

1. A sentence a learner can meet is never written in code: it lives in ``<lang>/<room>.toml`` and code names
   its id, ``room.name``. The API's own error wording is data of the wire, not a sentence of ours.
2. Every id exists in every language with the same placeholders (``tests/text`` holds this).
3. A missing id or a missing value is a fault of ours and raises; it never prints a half sentence.
"""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from pathlib import Path

LANGUAGES = ("en", "es")
"""The languages with a complete catalogue; the first is the default."""

ENVIRONMENT = "SIMULATOR_LANG"
"""Name of the environment variable that chooses the language: ``en`` or ``es``."""

_HERE = Path(__file__).parent


def language(lang: str | None = None) -> str:
    """Return the language to speak: *lang*, else ``SIMULATOR_LANG``, else English.

    Raises ValueError when *lang* has no catalogue; an unknown value in the environment means English, since
    nobody should be locked out of an error message by a variable set for something else.
    """
    if lang is not None:
        if lang not in LANGUAGES:
            raise ValueError(f"no catalogue for the language {lang!r}; there are: {', '.join(LANGUAGES)}")
        return lang
    chosen = os.environ.get(ENVIRONMENT, "")[:2].lower()
    return chosen if chosen in LANGUAGES else LANGUAGES[0]


@lru_cache(maxsize=64)
def room(name: str, lang: str) -> dict[str, str]:
    """Return the flat catalogue ``{id: sentence}`` of one room in one language."""
    with (_HERE / lang / f"{name}.toml").open("rb") as file:
        return dict(_flatten(name, tomllib.load(file)))


def say(sentence_id: str, lang: str | None = None, /, **values: object) -> str:
    """Return the sentence *sentence_id* (``room.name``) in *lang*, with *values* put in its placeholders.

    Raises KeyError when there is no such sentence or a placeholder has no value.
    """
    sentence = room(sentence_id.split(".", 1)[0], language(lang))[sentence_id]
    return sentence.format(**values)


def _flatten(prefix: str, table: dict[str, object]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            pairs += _flatten(f"{prefix}.{key}", value)
        else:
            pairs.append((f"{prefix}.{key}", str(value)))
    return pairs
