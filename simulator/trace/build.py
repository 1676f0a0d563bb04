"""A trace while it grows: steps are added one after another, each with what it changed.

Rules of this file:

1. The state is ``messages[]`` as a list of pool numbers; a step's ops lead from the state before it to the
   state after it.
2. A keyframe is due every 64 steps, and no sooner than as many steps as it has ranges: so keyframes, too,
   take room in proportion to the steps, however a loop rearranges its list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.trace.events import Event
from simulator.trace.pool import Op, Pool, Ranges, diff, ranges

KEYFRAME_EVERY = 64
"""Steps from one keyframe to the next."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace: the event, and how it changed ``messages[]``."""

    n: int
    """Its number, from 0."""
    event: Event
    ops: tuple[Op, ...] = ()
    keyframe: Ranges | None = None
    """The whole state after this step as ranges of pool numbers, where it is a keyframe."""


class Builder:
    """Collects steps. :attr:`state` is ``messages[]`` after the last one."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.steps: list[Step] = []
        self.state: list[int] = []
        self._since = 0

    def refs(self, messages: Iterable[Any]) -> list[int]:
        """Return the pool numbers of *messages* (JSON values)."""
        return [self.pool.ref(message) for message in messages]

    def add(self, event: Event, refs: Sequence[int] | None = None) -> Step:
        """Add *event* as the next step; *refs* is the state after it, None where it changed nothing."""
        ops: tuple[Op, ...] = ()
        if refs is not None and refs != self.state:
            ops = tuple(diff(self.state, refs))
            self.state = list(refs)
        message = getattr(event, "message", None)
        if event.kind == "response" and message is not None:
            self.pool.ref(message)
        step = Step(len(self.steps), event, ops, self._keyframe())
        self.steps.append(step)
        return step

    def _keyframe(self) -> Ranges | None:
        self._since += 1
        if self._since < KEYFRAME_EVERY:
            return None
        runs = ranges(self.state)
        if len(runs) > self._since:
            return None
        self._since = 0
        return runs
