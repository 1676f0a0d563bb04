"""How a run can end: one small frozen type per ending, with its evidence, and nothing else.

Rules of this file:

1. An ending is a value. Whoever calls the loop looks at it with ``match``; the union is closed, so a
   ``match`` that leaves an ending out does not pass the type checker.
2. Only :class:`Finished` is success. What was limited, cut, refused or left unchecked never looks like it.
3. Each ending has one sentence for a user, in the catalogue ``loop``.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, assert_never

from simulator.text import say
from simulator.text.visible import visible

Limit = Literal["steps", "tokens", "seconds", "money"]
"""The four limits of a budget, in the order in which they are looked at."""

By = Literal["keyboard", "caller"]
"""Who interrupts: Ctrl-C, or the caller's ``cancelled`` (in an event loop, the cancelled task too)."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The model said it was done and, where there is a check, the check agreed."""

    signal: str
    """``end_turn`` or ``stop_sequence``."""


@dataclass(frozen=True, slots=True)
class Unverified:
    """The model said it was done, and the check never agreed."""

    problem: str
    """What the check found the last time, or that the answer was empty."""
    rounds: int
    """How often the model was sent back to work."""


@dataclass(frozen=True, slots=True)
class OverBudget:
    """A limit was reached before the work was done."""

    limit: Limit
    allowed: int | float | Decimal
    spent: int | float | Decimal
    not_run: tuple[str, ...] = ()
    """Names of the tools the model had asked for and that were not run any more."""


@dataclass(frozen=True, slots=True)
class NoProgress:
    """The model went in a circle."""

    how: Literal["repeated", "quiet", "polled"]
    """The same call with the same result; several steps without anything new; one call without end."""
    name: str
    """The tool of the last call."""
    input: dict[str, object]
    times: int
    """How often the call was made (``repeated``, ``polled``), or how many steps brought nothing."""


@dataclass(frozen=True, slots=True)
class Fatal:
    """Something failed that neither waiting nor the model can mend."""

    where: Literal["api", "tool", "check"]
    reason: str
    attempts: int = 1
    """How often it was tried."""
    error: Exception | None = None
    """The exception, for whoever wants to raise it."""


@dataclass(frozen=True, slots=True)
class Truncated:
    """The answer was cut at ``max_tokens``. What was cut did not run."""

    max_tokens: int
    cut_calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The model refused (``refusal``). The same request would be refused again, so it is not sent again."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class PausedTooOften:
    """A server tool paused the turn (``pause_turn``) more often than allowed."""

    times: int


@dataclass(frozen=True, slots=True)
class ContextFull:
    """The conversation does not fit into the model's context, and cannot be made smaller."""

    used: int
    """Estimated tokens of the last request."""
    allowed: int | None
    """The context budget, or None where only the API knows it."""
    signal: str | None = None
    """``model_context_window_exceeded`` where an answer ran into it; None where the request did."""


@dataclass(frozen=True, slots=True)
class UnhandledSignal:
    """A ``stop_reason`` this loop has no branch for, or one that contradicts its content."""

    signal: str | None


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Ctrl-C, or the caller's ``cancelled``."""

    by: By
    phase: str
    """What the loop was doing: ``ask``, ``wait``, ``act``, ``check``."""


Exit = (
    Finished
    | Unverified
    | OverBudget
    | NoProgress
    | Fatal
    | Truncated
    | Refused
    | PausedTooOften
    | ContextFull
    | UnhandledSignal
    | Interrupted
)
"""Any ending. Closed: ``match`` on it ends in ``assert_never``."""


def sentence(ending: Exit, lang: str | None = None) -> str:
    """Return one sentence on *ending* for a user, in *lang* as in :func:`simulator.text.say`."""
    match ending:
        case Finished():
            return say("loop.exit.finished", lang)
        case Unverified(problem=problem, rounds=rounds):
            return say("loop.exit.unverified", lang, problem=visible(problem), rounds=rounds)
        case OverBudget(limit=limit, allowed=allowed, spent=spent, not_run=not_run):
            said = say(f"loop.exit.over_{limit}", lang, allowed=figure(allowed), spent=figure(spent))
            return said if not not_run else f"{said} {say('loop.exit.not_run', lang, names=listed(not_run))}"
        case NoProgress(how=how, name=name, times=times):
            return say(f"loop.exit.{how}", lang, name=visible(name), times=times)
        case Fatal(where=where, reason=reason, attempts=attempts):
            return say(f"loop.exit.fatal_{where}", lang, reason=visible(reason), attempts=attempts)
        case Truncated(max_tokens=size, cut_calls=()):
            return say("loop.exit.truncated", lang, max_tokens=size)
        case Truncated(max_tokens=size, cut_calls=names):
            return say("loop.exit.truncated_call", lang, max_tokens=size, names=listed(names))
        case Refused():
            return say("loop.exit.refused", lang)
        case PausedTooOften(times=times):
            return say("loop.exit.paused", lang, times=times)
        case ContextFull(used=used):
            return say("loop.exit.context_full", lang, used=used)
        case UnhandledSignal(signal=signal):
            return say("loop.exit.unhandled", lang, signal=visible(str(signal)))
        case Interrupted(phase=phase):
            return say("loop.exit.interrupted", lang, phase=phase)
        case _:
            assert_never(ending)


def figure(value: int | float | Decimal) -> str:
    """Return an amount as a person reads it: at most four decimals, no trailing zeros."""
    text = f"{value:,.4f}" if not isinstance(value, int) else f"{value:,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(names: tuple[str, ...]) -> str:
    """Return *names* in one line, hidden characters shown."""
    return ", ".join(visible(name) for name in names)
