"""The article's signature on the same engine: the final response or a typed exception, nothing in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, assert_never

from simulator.loop.budget import Budget
from simulator.loop.ended import Run
from simulator.loop.engine import run
from simulator.loop.events import Moved
from simulator.loop.exits import (
    ContextFull,
    Exit,
    Fatal,
    Finished,
    Interrupted,
    Limit,
    NoProgress,
    OverBudget,
    PausedTooOften,
    Refused,
    Truncated,
    UnhandledSignal,
    Unverified,
)
from simulator.loop.policy import Check, Policy
from simulator.loop.tools import Delegate, Handler

MODEL = "claude-sonnet-5-5"
"""Asked where the caller names no model."""


class LoopStopped(Exception):  # noqa: N818  # named for what it tells
    """A loop that did not finish; ``run`` holds what it did, ``run.exit`` why it ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.sentence())
        self.run = run


class LoopInterrupted(KeyboardInterrupt):
    """Ctrl-C; ``run`` holds what was done until then."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.sentence())
        self.run = run


class UnhandledStop(LoopStopped):
    """A ``stop_reason`` that is not the end of the work; ``stop_reason`` is its value."""

    def __init__(self, stop_reason: str | None, run: Run) -> None:
        super().__init__(run)
        self.stop_reason = stop_reason


class BudgetExceeded(LoopStopped):
    """The budget is spent; ``limit`` is its value (``max_iterations``), ``name`` which of the four it was."""

    def __init__(self, limit: Any, name: Limit, run: Run) -> None:
        super().__init__(run)
        self.limit, self.name = limit, name


def run_agent_loop(
    client: Any,
    messages: Iterable[Any],
    tools: Iterable[Any],
    handlers: Mapping[str, Handler | Delegate],
    max_iterations: int = 20,
    *,
    model: str = MODEL,
    max_tokens: int = 4096,
    system: Any = None,
    max_total_tokens: int | None = None,
    max_seconds: float | None = None,
    max_cost: Decimal | float | None = None,
    check: Check | None = None,
    tool_timeout: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    on_event: Callable[[Moved], object] | None = None,
    policy: Policy | None = None,
) -> Any:
    """Run the loop and return the final response as the client gave it.

    *max_iterations* is the most answers of the model; *max_cost* is in US dollars, *tool_timeout* in seconds;
    *on_event* is called with every move. A *policy* decides the rest, and replaces *model*, *max_tokens* and
    *system*; what is given beside it counts: of two limits the tighter, of steps *max_iterations*.
    *messages* is not changed.

    Raises UnhandledStop(stop_reason) for every signal that is not the end, BudgetExceeded(limit), the API's
    or (``on_tool_error="propagate"``) a handler's own exception, LoopInterrupted (Ctrl-C), and LoopStopped
    for the rest; all but the exceptions of others hold the :class:`Run` in ``run``.
    """
    chosen = policy or Policy(model, max_tokens, system)
    cost = None if max_cost is None else Decimal(str(max_cost))
    limits = Budget(max_iterations, max_total_tokens, max_seconds, cost)
    budget = replace(chosen.budget, steps=None).within(limits)
    beside = {"check": check, "tool_seconds": tool_timeout, "cancelled": cancelled, "on_move": on_event}
    given: dict[str, Any] = {name: value for name, value in beside.items() if value is not None}
    result = run(client, messages, tools, handlers, replace(chosen, budget=budget, **given))
    if isinstance(result.exit, Finished):
        return result.response
    raise failure_of(result.exit, result)


def failure_of(ending: Exit, result: Run) -> BaseException:
    """Return the exception that tells *ending*; ``Finished`` has none and is a mistake here."""
    match ending:
        case OverBudget(limit=name, allowed=allowed):
            return BudgetExceeded(allowed, name, result)
        case UnhandledSignal(signal=signal):
            return UnhandledStop(signal, result)
        case Truncated():
            return UnhandledStop("max_tokens", result)
        case Refused():
            return UnhandledStop("refusal", result)
        case PausedTooOften():
            return UnhandledStop("pause_turn", result)
        case Fatal(error=error):
            return error or LoopStopped(result)
        case ContextFull(signal=str(signal)):
            return UnhandledStop(signal, result)
        case Interrupted(by="keyboard"):
            return LoopInterrupted(result)
        case ContextFull() | NoProgress() | Unverified() | Interrupted():
            return LoopStopped(result)
        case Finished():
            raise AssertionError("a finished run has a response, not an exception")
        case _:
            assert_never(ending)
