"""What a run had spent before each of its requests, by the four measures of a budget.

Rules of this file:

1. Steps are requests. Tokens are those of all answers, in, out and cached.
2. Seconds are those slept, which is how tools are slow here.
3. Money lies between what the cheapest and what the dearest prices make of it, so that any loop's own table
   agrees.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.gate.judgements.reading import Exchange

CHEAPEST, DEAREST = (0.1, 0.5), (200.0, 1000.0)
"""US dollars for a million tokens in and out, between which every price lies (rule 3)."""

UNTIMED = 60.0
"""Seconds that a tool may have taken after the last request, where nobody looked at the clock any more."""

Spent = Callable[[list[Exchange], int], tuple[float, float]]
"""What was spent before request *n* (counted from 0) at least and at most."""


def steps(_: list[Exchange], n: int) -> tuple[float, float]:
    """Return the requests before request *n*."""
    return n, n


def tokens(seen: list[Exchange], n: int) -> tuple[float, float]:
    """Return the tokens of the answers before request *n*."""
    total = sum(fresh + out for fresh, out in map(_usage, seen[:n]))
    return total, total


def seconds(seen: list[Exchange], n: int) -> tuple[float, float]:
    """Return the seconds slept before request *n*; after the last one nobody timed what its tools took."""
    waited = sum(one.request.waited or 0.0 for one in seen[: n + 1])
    untimed = len(seen[-1].ran) * UNTIMED if n == len(seen) and seen else 0.0
    return waited, waited + untimed


def money(seen: list[Exchange], n: int) -> tuple[float, float]:
    """Return the dollars for the answers before request *n*."""
    used = [_usage(one) for one in seen[:n]]
    costs = [
        sum(fresh * prices[0] + out * prices[1] for fresh, out in used) / 1e6
        for prices in (CHEAPEST, DEAREST)
    ]
    return costs[0], costs[1]


def _usage(one: Exchange) -> tuple[int, int]:
    """Return the tokens that went in (cached ones with them) and came out."""
    usage = one.response.usage if one.response else {}
    counts = {name: value for name, value in usage.items() if isinstance(value, int)}
    into = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(counts.get(name, 0) for name in into), counts.get("output_tokens", 0)
