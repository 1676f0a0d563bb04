"""What keeps a file from being linted: one sentence each, and the other files are linted all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.text import say
from simulator.text.visible import visible


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file, or a cell of a notebook, could not be read, linted or written."""

    code: str
    """Id of the sentence: ``lint.broken.syntax``."""
    facts: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None
    column: int | None = None
    cell: int | None = None


class BrokenSourceError(ValueError):
    """A source that cannot be linted."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(sentence(problem))
        self.problem = problem


class SettingsError(ValueError):
    """Settings that cannot be followed; the text is the sentence for the user."""


def sentence(problem: Problem, lang: str | None = None) -> str:
    """Return what is said about *problem*, safe to show; it names no file."""
    return visible(say(problem.code, lang, **problem.facts))
