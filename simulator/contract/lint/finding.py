"""What the linter finds: a place, a rule, the words that belong to it, and the edit that mends it.

Lines and columns count from 1, columns in characters as editors count; an end is behind the last character.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of a source file."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace what stands at ``place`` by ``text``; an empty stretch inserts."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One anti-pattern at one place."""

    rule: str
    """``AL01`` …"""
    place: Place
    function: str
    """Qualified name of the function it stands in: ``Agent.run``."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Values for the rule's sentences, from the source: ``{"name": "response"}``."""
    fix: tuple[Edit, ...] = ()
    """Edits that belong together; none where no edit is safe."""
