"""What a judgement says about one run: it holds, it does not, or the run does not show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["pass", "fail", "unknown", "not_applicable"]
"""``unknown``: the run ended too early, or in another way, to tell. ``not_applicable``: this loop does not do
what is judged here (it does not stream)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one judgement on one trace."""

    outcome: Outcome
    finding: str = ""
    """What was found, ``family.finding`` (``history.repeated``); a kata maps it to its message id."""
    turn: int | None = None
    """The request the finding is about, counted from 1; the transcript marks it."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """Values for the placeholders of the message."""


def holds() -> Verdict:
    """Return the verdict that what is judged holds."""
    return Verdict("pass")


def broken(finding: str, turn: int | None, **facts: object) -> Verdict:
    """Return the verdict that it does not hold: *finding* at request *turn*, with *facts* for its message."""
    return Verdict("fail", finding, turn, facts)


def unknown() -> Verdict:
    """Return the verdict that the run does not show it; how the run ended says why."""
    return Verdict("unknown")


def not_applicable(finding: str) -> Verdict:
    """Return the verdict that the loop does not do what is judged; *finding* names the sentence for it."""
    return Verdict("not_applicable", finding)
