"""The machine behind the ``while``: one frozen state, the steps that can happen, and a pure reducer.

Rules of this file:

1. ``reduce(state, step)`` is pure: the same state and step give the same next state, and nothing else
   happens. Asking, waiting and running tools are done by ``engine.py``, which only reports what came of it.
2. ``MOVES`` is the whole machine: from each phase, by each step, to these phases. ``reduce`` holds every move
   against it, and the diagram in ARCHITECTURE.md is drawn from it.
3. ``done`` is reached with an exit and with every call answered, whatever led there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from simulator.loop.budget import NOTHING, Spend
from simulator.loop.compaction import Dropped
from simulator.loop.exits import Exit, Finished, Interrupted, OverBudget, Refused, Truncated
from simulator.loop.failures import Failure
from simulator.loop.outcome import Outcome, not_run
from simulator.loop.policy import Policy
from simulator.loop.progress import Progress
from simulator.loop.transcript import calls_of, user
from simulator.wire.message import Turn, text_of

Phase = Literal["ask", "wait", "act", "check", "shrink", "done"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the model, as JSON."""

    content: list[Any]
    stop_reason: str | None
    usage: dict[str, Any]

    @property
    def text(self) -> str:
        """What it says."""
        return text_of(self.content)


@dataclass(frozen=True, slots=True)
class Answered:
    """The model answered; ``spend`` is what the answer cost."""

    at: float
    answer: Answer
    spend: Spend


@dataclass(frozen=True, slots=True)
class Failed:
    """The request failed."""

    at: float
    failure: Failure
    error: Exception


@dataclass(frozen=True, slots=True)
class Waited:
    """The wait before the next try is over."""

    at: float


@dataclass(frozen=True, slots=True)
class Acted:
    """Every call of the turn has its outcome."""

    at: float
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """The caller's check looked at the answer: None, or the problem; ``error`` where it could not look."""

    at: float
    problem: str | None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """The cut was moved; ``dropped`` is None where there was nothing to drop."""

    at: float
    cut: int
    dropped: Dropped | None
    size: int
    """Estimated tokens of the request as it is now."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A guard, or somebody outside, ended the run; ``outcomes`` are those of a turn that was interrupted."""

    at: float
    exit: Exit
    outcomes: tuple[Outcome, ...] = ()


Step = Answered | Failed | Waited | Acted | Checked | Compacted | Stopped
"""Anything that can happen. Closed: ``match`` on it ends in ``assert_never``."""


class State(NamedTuple):
    """Everything a run is at one moment. A tuple: a copy with changes costs a fifth of a dataclass's."""

    policy: Policy
    messages: tuple[Turn, ...]
    first: int
    """How many of ``messages`` are the caller's."""
    max_tokens: int
    fixed: int = 0
    """Estimated tokens of what every request states besides its messages: tools and system."""
    weights: tuple[int, ...] = (0,)
    """Estimated tokens of the first 0, 1, 2 … ``messages``: each turn is counted once, when it comes. Only in
    a run with compaction."""
    phase: Phase = "ask"
    spend: Spend = NOTHING
    progress: Progress = Progress()
    failures: tuple[Failure, ...] = ()
    """Every failed request, in order."""
    failed: int = 0
    """Failed requests in a row."""
    pause: float = 0.0
    """Seconds to wait, in the phase ``wait``."""
    answer: Answer | None = None
    """The last answer."""
    pauses: int = 0
    nudges: int = 0
    rounds: int = 0
    enlarged: int = 0
    cut: int = 0
    findings: str = ""
    forced: bool = False
    """The API itself said that the conversation is too long."""
    dropped: tuple[Dropped, ...] = ()
    exit: Exit | None = None


STARTS: tuple[Phase, ...] = ("ask", "shrink")
"""Where a run begins: with a request, or, where the caller's conversation is large, with making it smaller.
"""

MOVES: dict[tuple[Phase, type[Step]], tuple[Phase, ...]] = {
    ("ask", Answered): ("ask", "act", "check", "shrink", "done"),
    ("ask", Failed): ("wait", "shrink", "done"),
    ("wait", Waited): ("ask",),
    ("act", Acted): ("ask", "shrink", "done"),
    ("check", Checked): ("ask", "shrink", "done"),
    ("shrink", Compacted): ("ask", "done"),
    ("ask", Stopped): ("done",),
    ("wait", Stopped): ("done",),
    ("act", Stopped): ("done",),
    ("check", Stopped): ("done",),
    ("shrink", Stopped): ("done",),
}
"""From a phase, by a step, to one of these phases."""


class IllegalMove(RuntimeError):  # noqa: N818  # named for what it tells
    """A move that the machine does not have: a fault of ours."""


def lawful(before: State, step: Step, after: State) -> State:
    """Return *after*, or raise IllegalMove when the machine has no such move."""
    if after.phase not in MOVES.get((before.phase, type(step)), ()):
        raise IllegalMove(f"{before.phase} cannot go to {after.phase} by {type(step).__name__}")
    return after


def begun(policy: Policy, messages: tuple[Turn, ...], tools: Sequence[Any]) -> State:
    """Return the state of a run that begins with the caller's *messages*."""
    state = State(policy, messages, len(messages), policy.max_tokens)
    if policy.compaction is None:
        return state
    count = policy.compaction.count
    return state._replace(fixed=count([list(tools), policy.system or ""]), weights=weighed(messages, count))


def append(state: State, *turns: Turn, **changes: Any) -> State:
    """Return *state* with *turns* added, and with *changes* of other fields."""
    compaction = state.policy.compaction
    weights = weighed(turns, compaction.count, state.weights) if compaction else state.weights
    return state._replace(messages=(*state.messages, *turns), weights=weights, **changes)


def weighed(
    turns: Iterable[Turn], count: Callable[[object], int], before: tuple[int, ...] = (0,)
) -> tuple[int, ...]:
    """Return the weights *before*, continued by *turns*."""
    return (*before[:-1], *accumulate(map(count, turns), initial=before[-1]))


def end(state: State, ending: Exit) -> State:
    """Return *state* ended by *ending*, every call answered (rule 3)."""
    closed = close(state, _WHY.get(type(ending), "ended"))
    return closed._replace(phase="done", exit=ending)


def close(state: State, why: str) -> State:
    """Return *state* with the calls of its last turn, if any is open, answered as not run."""
    calls = open_calls(state)
    return append(state, user(not_run(call, why).block() for call in calls)) if calls else state


def open_calls(state: State) -> list[dict[str, Any]]:
    """Return the calls of the last turn: they are open as long as it is the last."""
    return calls_of(state.messages[-1]) if state.messages else []


_WHY: dict[type[Exit], str] = {
    OverBudget: "budget",
    Truncated: "cut",
    Refused: "refusal",
    Interrupted: "interrupted",
    Finished: "ended",
}
"""Which sentence tells the model, should the conversation go on, why its call did not run."""
