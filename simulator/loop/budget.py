"""What a run may spend, what it has spent, and which limit is reached.

Rules of this file:

1. Four limits, each on its own: steps, tokens, seconds, money. None means no limit; 0 means nothing at all.
2. A limit is looked at before a request. None is sent when spent >= allowed; the answer that reaches a limit
   is still taken, and where it ends the work the run is finished, not over budget.
3. A step is one answer of the model. Attempts that failed are counted as ``requests`` and bounded elsewhere.
4. Tokens are the sum over every answer of all four counters: fresh input, cache writes, cache reads, output.
   A counter that is missing or null is 0. Truncated, refused and sub-loop answers cost like any other.
5. Money is ``Decimal`` US dollars, so that a limit is exact. Prices are data with a date (``prices.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from simulator.loop.exits import Limit
from simulator.loop.prices import Rates

Amount = TypeVar("Amount", int, float, Decimal)


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run has spent so far. ``a + b`` adds all but the clock: seconds are the run's own."""

    steps: int = 0
    requests: int = 0
    input_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    money: Decimal = Decimal(0)

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens + self.output_tokens

    def __add__(self, other: Spend) -> Spend:
        return self.plus(other, self.seconds)

    def at(self, seconds: float) -> Spend:
        """Return this with the clock at *seconds* since the start."""
        return self.plus(NOTHING, seconds)

    def plus(self, other: Spend, seconds: float) -> Spend:
        """Return both together, with the clock at *seconds*."""
        return Spend(
            self.steps + other.steps,
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.output_tokens + other.output_tokens,
            seconds,
            self.money + other.money,
        )


NOTHING = Spend()


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run. Raises ValueError for one below 0."""

    steps: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    money: Decimal | None = None
    """US dollars."""

    def __post_init__(self) -> None:
        for name, value in self.limits():
            if value is not None and not value >= 0:
                raise ValueError(
                    f"the budget's {name} is {value}; a limit is 0 or more: use None for no limit at all"
                )

    def limits(self) -> list[tuple[Limit, int | float | Decimal | None]]:
        """Return the limits with their names, in the order in which they are looked at."""
        return [
            ("steps", self.steps),
            ("tokens", self.tokens),
            ("seconds", self.seconds),
            ("money", self.money),
        ]

    def reached(self, spend: Spend) -> tuple[Limit, int | float | Decimal, int | float | Decimal] | None:
        """Return the first ``(limit, allowed, spent)`` with spent >= allowed, or None."""
        for limit, allowed in self.limits():
            if allowed is not None and (spent := amount(spend, limit)) >= allowed:
                return limit, allowed, spent
        return None

    def left(self, spend: Spend) -> Budget:
        """Return what remains of this after *spend*, never below 0."""
        return Budget(
            None if self.steps is None else max(0, self.steps - spend.steps),
            None if self.tokens is None else max(0, self.tokens - spend.tokens),
            None if self.seconds is None else max(0.0, self.seconds - spend.seconds),
            None if self.money is None else max(Decimal(0), self.money - spend.money),
        )

    def within(self, other: Budget) -> Budget:
        """Return the tighter of this and *other*, limit by limit."""
        return Budget(
            _tighter(self.steps, other.steps),
            _tighter(self.tokens, other.tokens),
            _tighter(self.seconds, other.seconds),
            _tighter(self.money, other.money),
        )


def amount(spend: Spend, limit: Limit) -> int | float | Decimal:
    """Return how much of *limit* has been spent."""
    amounts: dict[Limit, int | float | Decimal] = {
        "steps": spend.steps,
        "tokens": spend.tokens,
        "seconds": spend.seconds,
        "money": spend.money,
    }
    return amounts[limit]


def charge(usage: Mapping[str, Any], rates: Rates | None) -> Spend:
    """Return what one answer with this ``usage`` costs; money is 0 where there are no *rates*."""
    fresh, out = _count(usage, "input_tokens"), _count(usage, "output_tokens")
    written, read = _count(usage, "cache_creation_input_tokens"), _count(usage, "cache_read_input_tokens")
    money = Decimal(0)
    if rates is not None:
        split = usage.get("cache_creation")
        hour = _count(split, "ephemeral_1h_input_tokens") if isinstance(split, Mapping) else 0
        hour = min(hour, written)
        money = rates.cost(fresh, written - hour, hour, read, out)
    return Spend(1, 1, fresh, written, read, out, 0.0, money)


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _tighter(one: Amount | None, other: Amount | None) -> Amount | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
