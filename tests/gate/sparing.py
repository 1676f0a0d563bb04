"""Spare runs that cannot differ: a loop made of ``Base`` runs like it where nothing it overrides is used.

Rules of this file:

1. ``Base`` runs each case once in a process, and what it looked up on itself is kept with the run.
2. A loop that overrides none of these names in a case would run the same, since runs are deterministic; so
   the run of ``Base`` stands for it. A loop of another make is always run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from simulator.gate.judge import distinct, performed
from simulator.gate.probe import Case, Probe
from simulator.gate.ran import Ran
from tests.gate.loops.base import Base

Key = tuple[Any, ...]

OF_EVERY_CLASS = frozenset({"__module__", "__doc__", "__qualname__", "__annotations__"})
OF_LATER_PYTHONS = frozenset({"__firstlineno__", "__static_attributes__"})


class Watched(Base):
    """The base loop, which notes every name that is looked up on it."""

    looked_up: set[str]

    def __getattribute__(self, name: str) -> Any:
        Watched.looked_up.add(name)
        return super().__getattribute__(name)


WATCHED = Watched.as_function()


def runs(loop: Callable[..., Any], probes: Iterable[Probe], seed: int) -> dict[Key, Ran]:
    """Return what came of *loop* on all cases of *probes*."""
    changed = overridden(loop)
    done: dict[Key, Ran] = {}
    for case in distinct(probes):
        same = changed is not None and _same(case, seed, changed)
        done |= {case.key(): same} if same else _performed(loop, case, seed)
    return done


def overridden(loop: Callable[..., Any]) -> frozenset[str] | None:
    """Return what the class of *loop* has of its own; None where it is not made of ``Base`` alone."""
    kind = getattr(loop, "made_of", None)
    if kind is None or getattr(loop, "__code__", None) is not WATCHED.__code__:
        return None
    above = kind.__mro__[: kind.__mro__.index(Base)]
    names = frozenset(name for each in above for name in vars(each)) - OF_EVERY_CLASS - OF_LATER_PYTHONS
    return None if any(name.startswith("__") for name in names) else names


def _same(case: Case, seed: int, changed: frozenset[str]) -> Ran | None:
    ran, looked_up = _base(_Hashable(case), seed)
    return None if looked_up & changed else ran


class _Hashable:
    """A case, the same as another that asks for the same run."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def __hash__(self) -> int:
        return hash(self.case.key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and other.case.key() == self.case.key()


@lru_cache(maxsize=1000)
def _base(case: _Hashable, seed: int) -> tuple[Ran, frozenset[str]]:
    Watched.looked_up = set()
    done = _performed(WATCHED, case.case, seed)
    return done[case.case.key()], frozenset(Watched.looked_up)


def _performed(loop: Callable[..., Any], case: Case, seed: int) -> dict[Key, Ran]:
    return performed(loop, [Probe("", "", lambda trace: None, (case,))], seed)
