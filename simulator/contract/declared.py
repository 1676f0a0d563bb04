"""What a contract declares, as rows: a JSON pointer, the value as JSON, and where it is from.

Rules of this file:

1. A row stands for what was decided, declared or by default; what a contract can declare and this one does
   not is named by :func:`absent`.
2. The values are those of the contract that was read, so a row cannot say other than the compiler was told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from simulator.contract.model import Action, Budget, Contract, Request, Retries


@dataclass(frozen=True, slots=True)
class Row:
    """One decision."""

    pointer: str
    value: Any
    """JSON."""
    default: bool
    """Left to the policy."""


def rows(contract: Contract) -> list[Row]:
    """Return a row for each decision, in the order of a contract."""
    return [Row(at, value, _left(at, contract)) for at, value in _pairs(contract)]


def absent(contract: Contract) -> list[str]:
    """Return the pointers of what this contract could have declared besides, and no default decides."""
    optional = {
        "/budget/iterations": contract.budget.iterations,
        "/budget/tokens": contract.budget.tokens,
        "/budget/seconds": contract.budget.seconds,
        "/budget/cost": contract.budget.usd,
        "/results/max_chars": contract.results.max_chars,
        "/handlers/timeout_seconds": contract.handlers.timeout_seconds,
        "/verification": contract.verification,
        "/compaction": contract.compaction,
    }
    return [pointer for pointer, value in optional.items() if value is None]


def _left(pointer: str, contract: Contract) -> bool:
    """Return whether *pointer*, or what it is in, was left to the policy."""
    return any(pointer == at or pointer.startswith(f"{at}/") for at in contract.defaults)


def _pairs(contract: Contract) -> Iterator[tuple[str, Any]]:
    yield from _request(contract.request)
    yield "/control/by", "stop_reason"
    yield from _budget(contract.budget)
    for signal, action in contract.signals.items():
        yield f"/signals/{signal}", _action(action)
    yield "/results", {"role": "user", "blocks": "all", "ids": "tool_use_id"}
    yield from _there("/results/max_chars", contract.results.max_chars)
    yield "/handlers/on_error", contract.handlers.on_error
    yield "/handlers/on_unknown", contract.handlers.on_unknown
    yield from _there("/handlers/timeout_seconds", contract.handlers.timeout_seconds)
    yield "/progress", asdict(contract.progress)
    yield "/retries", _retries(contract.retries)
    for name, part in (("verification", contract.verification), ("compaction", contract.compaction)):
        if part is not None:
            yield f"/{name}", asdict(part)
    yield "/tracing/logger", contract.tracing.logger


def _request(request: Request) -> Iterator[tuple[str, Any]]:
    yield "/request/model", request.model
    yield "/request/max_tokens", request.max_tokens
    yield from _there("/request/system", request.system)
    for name, value in request.parameters.items():
        yield f"/request/{name}", value


def _budget(budget: Budget) -> Iterator[tuple[str, Any]]:
    yield from _there("/budget/iterations", budget.iterations)
    yield from _there("/budget/tokens", budget.tokens)
    yield from _there("/budget/seconds", budget.seconds)
    yield from _there("/budget/cost/usd", budget.usd)
    if budget.prices is not None:
        yield "/budget/cost/prices", asdict(budget.prices)


def _action(action: Action) -> dict[str, Any]:
    stated: dict[str, Any] = {"do": action.do}
    if action.times is not None:
        stated["times"] = action.times
    return stated | ({"error": "UnhandledStop"} if action.do == "raise" else {})


def _retries(retries: Retries) -> dict[str, Any]:
    return asdict(retries) if retries.by == "loop" else {"by": "client"}


def _there(pointer: str, value: Any) -> Iterator[tuple[str, Any]]:
    if value is not None:
        yield pointer, value
