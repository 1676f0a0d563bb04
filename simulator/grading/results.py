"""What one test of a kata found, as data; :mod:`simulator.grading.report` puts it into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator.gate.problems import Frame
from simulator.gate.runner import Outcome

State = Literal["pass", "fail", "could-not-check", "skipped"]

Told = Callable[[str], Any]
"""A fact that is a sentence: what it says in a language."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one test found."""

    test: str
    state: State
    message: str = ""
    """Id of the message: ``K02-E1`` or ``G-SYNTAX``; empty for a pass."""
    turn: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    """Values for the message; one that can be called (:data:`Told`) is told in the reader's language."""
    scenario: str = ""
    probe: str = ""
    outcome: Outcome | None = None
    frames: tuple[Frame, ...] = ()
    guard: bool = False
    """True for a check that the starter passes: it earns nothing, it keeps what works working."""
    ran: str = ""
    """Id of the sentence on what was run, where that was not one conversation."""
    commands: tuple[tuple[str, str], ...] = ()
    """What to run next: the id of the sentence for what, and the command."""
    further: Told | None = None
    """Lines to show as they are: what else is wrong with a contract."""


class CheckError(Exception):
    """A test of a kata did not pass; ``result`` says what was found."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.message or result.state)
        self.result = result
