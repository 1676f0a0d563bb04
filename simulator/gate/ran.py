"""What came of running a loop on a case, as the parent has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gate.problems import Problem

if TYPE_CHECKING:
    from simulator.trace.document import Trace


@dataclass(frozen=True, slots=True)
class Loop:
    """What is known of a loop once it is loaded."""

    name: str
    file: str
    """The path of its source."""
    line: int
    offers: dict[str, str | None]
    """Option -> the parameter by which the loop offers it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one case: a trace, an option that the loop lacks, or the problem that stood in its way."""

    trace: Trace | None
    lacks: str | None = None
    problem: Problem | None = None
    printed: int = 0
    """Characters that the loop printed."""
    threads: int = 0
    """Threads of the loop that were still at work after it."""
    tried: str | None = None
    """The host that it tried to reach without its client."""


class OurFault(RuntimeError):  # noqa: N818  # it says whose fault it is
    """A child met a bug of ours; the text is its traceback."""


def hopeless(first: Sequence[Ran], *, bare: bool) -> bool:
    """Return whether the *first* runs all ended in the same way before anything was asked, so that all will.

    *bare*: no option was given in them, so that a loop has no reason to come back at once.
    """
    ends = {_dead(each, bare) for each in first}
    return len(ends) == 1 and None not in ends


def _dead(ran: Ran, bare: bool) -> tuple[Any, ...] | None:
    """Return how a run ended that asked for nothing, or was lost; None for any other."""
    if ran.problem is not None:
        return (ran.problem.code,)
    if ran.trace is None or ran.trace.requests:
        return None
    end = ran.trace.exit
    if end.reason == "returned":
        return (end.reason,) if bare else None
    return (end.reason, end.error_type, end.message)
