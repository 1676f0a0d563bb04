"""The seven acceptance criteria of an agent loop, each with the probes that are evidence for it.

Rules of this file:

1. A criterion is met when something shows it and nothing speaks against it. One failure, and it is not met.
2. Where none of its probes applies, the loop has nothing that could meet it: it is not met, and what is
   missing is said. Where a probe could not be checked, or none was run, it is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.gate.judge import Found

CRITERIA = (1, 2, 3, 4, 5, 6, 7)
"""Their numbers, as the probes state them; their wording is ``gate.criterion.<number>``."""

Met = Literal["met", "not-met", "not-shown"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion, and what speaks for and against it."""

    number: int
    state: Met
    evidence: tuple[Found, ...]


def criteria(findings: Sequence[Found]) -> list[Criterion]:
    """Return what *findings* say about each criterion."""
    found = {number: tuple(one for one in findings if number in one.probe.criteria) for number in CRITERIA}
    return [Criterion(number, _state(evidence), evidence) for number, evidence in found.items()]


def _state(evidence: Sequence[Found]) -> Met:
    states = {one.state for one in evidence}
    if "fail" in states or states == {"not-applicable"}:
        return "not-met"
    return "met" if "pass" in states and "could-not-check" not in states else "not-shown"
