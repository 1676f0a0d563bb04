"""Which model has lost or gained what, as data.

Rules of this file:

1. Only what is known of a model is judged. An id that is no Claude model of a known family, or a version
   newer than the table, is never refused for being what it is.
2. ``SINCE`` names the first version of each family for which a statement holds. Sources are the rows of
   ``reference/api-errors.md`` named beside each, and the families named there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

Version = tuple[int, int]

NEWEST: Mapping[str, Version] = {
    "opus": (5, 5),
    "sonnet": (5, 5),
    "haiku": (5, 5),
    "fable": (5, 2),
    "mythos": (5, 2),
}
"""The newest version of each family that this table knows."""

Change = Literal[
    "no_prefill", "no_budgets", "no_sampling", "one_sampling", "no_forced_tool", "system_turns", "matched_ids"
]

SINCE: Mapping[Change, Mapping[str, Version]] = {
    # row 45: the last turn may no longer be the assistant's
    "no_prefill": {"opus": (4, 6), "sonnet": (4, 6), "haiku": (5, 0), "fable": (5, 0), "mythos": (5, 0)},
    # row 85: thinking.type "enabled" is gone; adaptive thinking took its place
    "no_budgets": {"opus": (4, 7), "sonnet": (5, 0), "haiku": (5, 0), "fable": (5, 0), "mythos": (5, 0)},
    # row 95: temperature, top_p and top_k are gone
    "no_sampling": {"opus": (4, 7), "sonnet": (5, 0), "haiku": (5, 0), "fable": (5, 0), "mythos": (5, 0)},
    # row 94: temperature or top_p, not both (until sampling went altogether)
    "one_sampling": {"opus": (4, 5), "sonnet": (4, 5), "haiku": (4, 5)},
    # rows 1 and 5 against row 3: a result is matched with its call by id, no longer by number. It was the API
    # that changed (2025), not a model, but in a body only the model tells the time.
    "matched_ids": {"opus": (4, 0), "sonnet": (3, 7), "haiku": (4, 0)},
    # row 74: a tool can no longer be forced. Reports on sonnet 5.5 differ, so it is not here.
    "no_forced_tool": {"opus": (5, 5), "fable": (5, 1), "mythos": (5, 1)},
    # rows 34, 37, 38: role "system" may stand inside messages
    "system_turns": {"opus": (4, 8), "sonnet": (5, 0), "haiku": (5, 0), "fable": (5, 0), "mythos": (5, 0)},
}
"""From which version on each change holds. A family that is not named is not known to have changed."""

# claude-opus-4-6, claude-sonnet-4-20250514, claude-opus-4.7, us.anthropic.claude-opus-4-6-v1:0
_NEW_STYLE = re.compile(r"claude-([a-z]+)-(\d)(?:[-.](\d{1,2})(?!\d))?")
# claude-3-5-sonnet-20241022, claude-3-opus-latest
_OLD_STYLE = re.compile(r"claude-(\d)(?:[-.](\d))?-([a-z]+)")


class Model(NamedTuple):
    """A Claude model that the table knows: its family and version."""

    family: str
    version: Version


def known_model(name: object) -> Model | None:
    """Return the model that the id *name* stands for, or None where nothing is known of it."""
    if not isinstance(name, str):
        return None
    if found := _NEW_STYLE.search(name):
        family, major, minor = found.groups()
    elif found := _OLD_STYLE.search(name):
        major, minor, family = found.groups()
    else:
        return None
    version = (int(major), int(minor or 0))
    return Model(family, version) if family in NEWEST and version <= NEWEST[family] else None


def has(model: Model | None, change: Change) -> bool:
    """Say whether *change* is known to hold for *model*."""
    since = SINCE[change].get(model.family) if model else None
    return model is not None and since is not None and model.version >= since


def lacks(model: Model | None, change: Change) -> bool:
    """Say whether *change* is known not to hold yet for *model*: not the opposite of :func:`has`."""
    since = SINCE[change].get(model.family) if model else None
    return model is not None and since is not None and model.version < since
