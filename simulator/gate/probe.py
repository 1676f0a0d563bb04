"""What a probe is: one thing that must hold of a loop, the runs that show it, and how it is judged.

Rules of this file:

1. A probe's id is ``family name.what must hold`` (``history.carries_on``): the module and the function of its
   judgement. It never changes; reports, katas and baselines name it.
2. A probe holds when it holds in every one of its cases. One failure fails it, in the case that failed.
3. A case says all that its run depends on, so equal cases share one run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.gate.verdict import Verdict

if TYPE_CHECKING:
    from simulator.trace.document import Trace

Judgement = Callable[["Trace"], Verdict]


@dataclass(frozen=True, slots=True)
class Case:
    """One run of the loop: on which scenario, with which options, with which answer changed."""

    scenario: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """By the names of :data:`simulator.gate.options.OPTIONS`: ``{"steps": 2}``; with ``"steps?"`` only where
    the loop offers it. JSON values only.
    """
    what_if: Mapping[int, str] = field(default_factory=dict)
    """Turn -> the ``stop_reason`` with which that answer ends instead."""
    judgement: Judgement | None = None
    """Judges this case instead of the probe's own judgement (a limit of 2 asks for another count than 0)."""

    def key(self) -> tuple[Any, ...]:
        """Return what tells this run from others."""
        return (self.scenario, repr(sorted(self.options.items())), tuple(sorted(self.what_if.items())))


@dataclass(frozen=True, slots=True)
class Probe:
    """One judgement about a loop."""

    id: str
    family: str
    """The letter of the failure family, ``a`` to ``v``; ``w`` for what belongs to none."""
    judgement: Judgement
    cases: tuple[Case, ...]
    criteria: tuple[int, ...] = ()
    """Which of the article's seven acceptance criteria it is evidence for."""
    katas: tuple[str, ...] = ()
    """Numbers of the katas about it: ``02``."""


def probe(judgement: Judgement, family: str, *cases: Case | str, **more: Any) -> Probe:
    """Return the probe whose id is the place of *judgement*; a case may be given as its scenario's name."""
    module = judgement.__module__.rpartition(".")[2]
    made = tuple(Case(case) if isinstance(case, str) else case for case in cases)
    return Probe(f"{module}.{judgement.__name__}", family, judgement, made, **more)
