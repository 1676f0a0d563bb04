"""The log of a run: one frozen entry for each move of the machine.

Rules of this file:

1. Every move leaves one entry, made from the step and the states before and after it, and nothing else.
2. Times are the run's own injected clock, in seconds since the start; there is no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.loop.budget import Spend
from simulator.loop.exits import Exit
from simulator.loop.state import Acted, Answered, Failed, Phase, State, Step, Stopped


@dataclass(frozen=True, slots=True)
class Ran:
    """One tool call of a move."""

    id: str
    name: str
    seconds: float
    is_error: bool
    attempts: int
    """How often the handler was run: 0 for a call that was answered without running it."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The machine went from one phase to another, or round to the same."""

    n: int
    """Counted from 1."""
    at: float
    """Seconds since the start of the run."""
    seconds: float
    """How long the step took."""
    step: str
    """Which step it was: ``answered``, ``failed``, ``waited``, ``acted``, ``checked``, ``compacted``,
    ``stopped``.
    """
    before: Phase
    after: Phase
    spend: Spend
    """What the run had spent after it."""
    signal: str | None = None
    """``stop_reason`` of an answer."""
    failure: str | None = None
    """Reason of a failed request."""
    tools: tuple[Ran, ...] = ()
    exit: Exit | None = None

    def __str__(self) -> str:
        """Return this in one line, for a log: no value of the conversation, only names and figures."""
        facts = [f"{self.before} -> {self.after} by {self.step}"]
        if self.signal is not None:
            facts.append(f"signal {self.signal}")
        facts += [f"tool {ran.name}{' failed' * ran.is_error} in {ran.seconds:.3f} s" for ran in self.tools]
        if self.failure is not None:
            facts.append("a failed request")
        if self.exit is not None:
            facts.append(f"exit {type(self.exit).__name__}")
        return f"{self.n}. {', '.join(facts)}; {self.spend.steps} steps, {self.spend.tokens} tokens"

    def to_dict(self) -> dict[str, Any]:
        """Return this as JSON, without what is not there; the exit by its name."""
        entry: dict[str, Any] = {
            "n": self.n,
            "at": round(self.at, 6),
            "seconds": round(self.seconds, 6),
            "step": self.step,
            "before": self.before,
            "after": self.after,
            "steps": self.spend.steps,
            "tokens": self.spend.tokens,
        }
        if self.signal is not None:
            entry["signal"] = self.signal
        if self.failure is not None:
            entry["failure"] = self.failure
        if self.tools:
            entry["tools"] = [
                {"id": ran.id, "name": ran.name, "seconds": round(ran.seconds, 6), "is_error": ran.is_error}
                for ran in self.tools
            ]
        if self.exit is not None:
            entry["exit"] = type(self.exit).__name__
        return entry


def moved(n: int, before: State, step: Step, after: State) -> Moved:
    """Return the entry of one move."""
    outcomes = step.outcomes if isinstance(step, (Acted, Stopped)) else ()
    return Moved(
        n=n,
        at=step.at,
        seconds=max(0.0, step.at - before.spend.seconds),
        step=type(step).__name__.lower(),
        before=before.phase,
        after=after.phase,
        spend=after.spend,
        signal=step.answer.stop_reason if isinstance(step, Answered) else None,
        failure=step.failure.reason if isinstance(step, Failed) else None,
        tools=tuple(
            Ran(str(o.call.get("id")), str(o.call.get("name")), o.seconds, o.is_error, o.attempts)
            for o in outcomes
        ),
        exit=after.exit,
    )
