"""One line of what is told about a skill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at."""

    name: str
    """The file, below the skill's folder."""
    claim: str
    """What should hold of it."""
    problem: str = ""
    """What does not; empty where it holds."""
