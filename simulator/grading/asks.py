"""What a kata's story may ask of a contract: one function for each kind of demand, used by ``loop_test.py``.

Rules of this file:

1. An ask looks at the contract as values, defaults filled in: how it is written does not count.
2. Stricter than the story is right, looser is not.
3. The rules of the language are not asked for again: what they refuse never comes here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.contract.model import Contract


@dataclass(frozen=True, slots=True)
class Ask:
    """One demand on a contract."""

    finding: str
    """What is found where it is not met: ``asks.answers``; the kata's catalogue has the message for it."""
    place: str
    """JSON pointer of the entry that says it."""
    wanted: str
    """What may stand there, as JSON or the words for it."""
    seen: Callable[[Contract], Any]
    """What the contract says there; None for nothing."""
    met: Callable[[Any], bool]
    """Whether what it says is enough; never asked about None."""

    def holds(self, contract: Contract) -> bool:
        """Return whether *contract* says it."""
        seen = self.seen(contract)
        return seen is not None and self.met(seen)


def answers(*, at_most: int) -> Ask:
    """The model answers at most so often in a run."""
    return Ask(
        "asks.answers",
        "/budget/iterations",
        str(at_most),
        lambda contract: contract.budget.iterations,
        lambda seen: seen <= at_most,
    )


def dollars(*, at_most: float) -> Ask:
    """A run costs at most so much."""
    return Ask(
        "asks.dollars",
        "/budget/cost/usd",
        f"{at_most:.2f}",
        lambda contract: contract.budget.usd,
        lambda seen: seen <= at_most,
    )


def prices(**wanted: float) -> Ask:
    """The money is counted by these prices, in dollars for a million tokens; of what day is not looked at."""
    return Ask(
        "asks.prices",
        "/budget/cost/prices",
        ", ".join(f"{name} {price:g}" for name, price in wanted.items()),
        lambda contract: {name: getattr(contract.budget.prices, name, None) for name in wanted},
        lambda seen: seen == wanted,
    )


def tool_seconds(*, at_most: float) -> Ask:
    """A tool that takes longer is given up on."""
    return Ask(
        "asks.tool_seconds",
        "/handlers/timeout_seconds",
        f"{at_most:g}",
        lambda contract: contract.handlers.timeout_seconds,
        lambda seen: seen <= at_most,
    )


def failures_are_told() -> Ask:
    """The model is told of a tool that failed."""
    return Ask(
        "asks.failures_are_told",
        "/handlers/on_error",
        '"tell"',
        lambda contract: contract.handlers.on_error,
        lambda seen: seen == "tell",
    )


def unknown_tools_are_told() -> Ask:
    """The model is told of a tool that does not exist."""
    return Ask(
        "asks.unknown_tools_are_told",
        "/handlers/on_unknown",
        '"tell"',
        lambda contract: contract.handlers.on_unknown,
        lambda seen: seen == "tell",
    )


def a_check_decides() -> Ask:
    """A check of the caller's decides whether an answer counts."""
    return Ask(
        "asks.a_check_decides",
        "/verification",
        '{"rounds": …}',
        lambda contract: contract.verification,
        lambda _: True,
    )


def logged_as(name: str) -> Ask:
    """Every transition is logged under this name."""
    return Ask(
        "asks.logged_as",
        "/tracing/logger",
        f'"{name}"',
        lambda contract: contract.tracing.logger,
        lambda seen: seen == name,
    )
