"""What a loop lets its caller decide, under the names that loops use for it.

Rules of this file:

1. A probe names an option; a loop offers it by a parameter with one of the option's names. What a loop does
   not offer is not judged: the probe is not applicable, and the report says which parameter it looked for.
2. A case states JSON; what has to be a callable is made here, anew for each run.
3. A parameter that a loop demands and nobody asked for gets no value from here: its default is its own.
4. ``records`` is never missing: a loop that has no parameter for it may still log.
5. An option with a question mark (``steps?``) is given where the loop offers it, and left out where not.
6. A limit that a case does not state is not what it asks about: where the loop's own default is tighter than
   ``ROOM``, it is given that. Else a loop for small tasks would fail by its size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from simulator.trace.source import signature_of


@dataclass(frozen=True, slots=True)
class Option:
    """One thing a caller may decide."""

    names: tuple[str, ...]
    """Parameter names it goes by, the best known first."""
    make: Callable[[Any], Any] = lambda stated: stated
    """Turns the case's JSON value into what the loop is given."""


class NotOfferedError(Exception):
    """The loop has no parameter for an option; ``option`` is its name, ``names`` what was looked for."""

    def __init__(self, option: str) -> None:
        super().__init__(option)
        self.option, self.names = option, OPTIONS[option].names


def checker(problems: Any) -> Callable[..., str | None]:
    """Return a check of the final answer that finds the stated *problems* one after another, then none.

    ``"always"`` in the list's place: it always finds one, a new one each time; ``{"always": problem}``: it
    always finds that one.
    """
    calls = iter(range(1, 10_000))

    def check(*_: Any, **__: Any) -> str | None:
        number = next(calls)
        if problems == "always":
            return f"Check {number} failed: the total in the report is still wrong."
        if isinstance(problems, Mapping):
            return str(problems["always"])
        return problems[number - 1] if number <= len(problems) else None

    return check


def canceller(seconds: float) -> Callable[..., bool]:
    """Return what tells a loop that its caller cancels, once so many *seconds* have passed since now."""
    began = time.monotonic()
    return lambda *_, **__: time.monotonic() - began >= seconds


OPTIONS: Mapping[str, Option] = {
    "steps": Option(
        ("max_iterations", "max_turns", "max_steps", "max_rounds", "max_loops", "iterations", "steps")
    ),
    "tokens": Option(("max_total_tokens", "token_budget", "budget_tokens", "total_tokens")),
    "seconds": Option(("max_seconds", "time_budget", "budget_seconds", "max_time")),
    "money": Option(("max_cost", "cost_budget", "budget_usd", "max_usd", "max_money")),
    "max_tokens": Option(("max_tokens",)),
    "check": Option(("check", "verify", "verifier", "check_answer"), checker),
    "tool_seconds": Option(("tool_timeout", "tool_seconds", "tool_deadline", "handler_timeout")),
    "context": Option(("context_tokens", "context_budget", "max_context_tokens", "context_limit")),
    "pinned": Option(("pinned", "pinned_facts")),
    "result_limit": Option(("max_result_chars", "result_limit", "max_result_characters")),
    "tool_choice": Option(("tool_choice",)),
    "subloops": Option(("subloops", "subagents", "delegates")),
    "stream": Option(("stream", "streaming")),
    "cancelled": Option(("cancelled", "should_stop", "cancel"), canceller),
    "records": Option(("on_event", "on_step", "on_move", "log", "trace", "records", "events")),
}
"""Every option, by the name a case uses for it."""

ROOM: Mapping[str, int] = {"steps": 20, "tokens": 10_000_000, "seconds": 1_000_000, "money": 1_000_000}
"""Enough of each limit for every case that does not ask about it."""


def arguments(loop: Callable[..., Any], stated: Mapping[str, Any], records: Any = None) -> dict[str, Any]:
    """Return the keyword arguments that give *loop* the options *stated*. Raises NotOfferedError.

    *records* is what the loop is given for the option of that name.
    """
    given = _room(loop, {wish.removesuffix("?") for wish in stated})
    for wish, value in stated.items():
        option = wish.removesuffix("?")
        name = offered(loop, option)
        if name is not None:
            given[name] = records if option == "records" else OPTIONS[option].make(value)
        elif option != "records" and option == wish:
            raise NotOfferedError(option)
    return given


def _room(loop: Callable[..., Any], stated: Collection[str]) -> dict[str, Any]:
    """Return the limits that nobody stated and whose default is tighter than ``ROOM``, with room (rule 6)."""
    defaults = {name: each.default for name, each in signature_of(loop).parameters.items()}
    names = {option: offered(loop, option) for option in ROOM if option not in stated}
    return {
        name: ROOM[option]
        for option, name in names.items()
        if name is not None and is_figure(defaults[name]) and defaults[name] < ROOM[option]
    }


def is_figure(value: Any) -> bool:
    """True for a number, which True and False are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def offered(loop: Callable[..., Any], option: str) -> str | None:
    """Return the parameter by which *loop* offers *option*, or None."""
    parameters = signature_of(loop).parameters
    return next((name for name in OPTIONS[option].names if name in parameters), None)
