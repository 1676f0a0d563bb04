"""A contract as a picture: the Mermaid state diagram of the loop that it declares.

Rules of this file:

1. Every arrow comes from an entry of the contract. What it does not declare is not drawn.
2. No text of a contract is in the picture, only signals, figures and our own words: nothing to quote.
3. A name that begins with a capital is an ending by an exception, as the compiled file names it.
4. Mermaid ends a label at a line end and trips over ``;``, ``#``, ``"`` and ``:``; our words have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulator.contract.model import Budget, Contract
from simulator.text import say


def mermaid(contract: Contract, lang: str | None = None) -> str:
    """Return the diagram of the loop that *contract* declares, without fences."""
    arrows = list(_arrows(contract, lang))
    lines = [
        "stateDiagram-v2",
        *(f'    state "{name}" as {state}' for state, name in _states(contract, lang)),
    ]
    return "\n".join([*lines, *(f"    {arrow}" for arrow in [*arrows, *_ends(arrows)])])


def _states(contract: Contract, lang: str | None) -> Iterator[tuple[str, str]]:
    there = {
        "guard": True,
        "shrink": contract.compaction is not None,
        "ask": True,
        "wait": contract.retries.by == "loop",
        "run": True,
        "accept": True,
        "finished": True,
    }
    for state, is_there in there.items():
        if is_there:
            yield state, say(f"contract.report.state.{state}", lang)


def _arrows(contract: Contract, lang: str | None) -> Iterator[str]:
    yield "[*] --> guard"
    yield f"guard --> BudgetExceeded: {_limits(contract.budget)}"
    yield from _asking(contract, lang)
    yield from _answered(contract, lang)
    yield from _running(contract, lang)
    yield from _accepting(contract, lang)


def _ends(arrows: Iterable[str]) -> Iterator[str]:
    """Yield the arrows out of the picture: from the response, and from each ending by an exception."""
    targets = dict.fromkeys(arrow.partition(" --> ")[2].partition(":")[0] for arrow in arrows)
    yield "finished --> [*]"
    yield from (f"{target} --> [*]" for target in targets if target[0].isupper())


def _limits(budget: Budget) -> str:
    """Return the limits that end the run, as ``iterations 20, usd 2.5``."""
    limits = {
        "iterations": budget.iterations,
        "tokens": budget.tokens,
        "seconds": budget.seconds,
        "usd": budget.usd,
    }
    return ", ".join(f"{name} {limit}" for name, limit in limits.items() if limit is not None)


def _asking(contract: Contract, lang: str | None) -> Iterator[str]:
    yield f"guard --> ask: {say('contract.report.arrow.within', lang)}"
    if contract.compaction is not None:
        percent, kept = round(contract.compaction.share * 100), contract.compaction.keep_steps
        yield f"guard --> shrink: {say('contract.report.arrow.long', lang, percent=percent)}"
        yield f"shrink --> ask: {say('contract.report.arrow.short', lang, steps=kept)}"
        yield f"ask --> shrink: {say('contract.report.arrow.too_long', lang)}"
        yield f"shrink --> ContextFull: {say('contract.report.arrow.full', lang)}"
    if contract.retries.by == "loop":
        attempts = contract.retries.attempts
        yield f"ask --> wait: {say('contract.report.arrow.passes', lang, attempts=attempts)}"
        yield "wait --> guard"
    yield f"ask --> ApiFailed: {say('contract.report.arrow.failed', lang)}"


def _answered(contract: Contract, lang: str | None) -> Iterator[str]:
    """Yield where each signal leads; signals that lead to the same place share an arrow."""
    leads: dict[str, list[str]] = {}
    for signal, action in contract.signals.items():
        name = say("contract.report.arrow.otherwise", lang) if signal == "otherwise" else signal
        if action.do in ("resume", "ask_again"):
            counted = {"signal": name, "times": action.times}
            yield f"ask --> guard: {say(f'contract.report.arrow.{action.do}', lang, **counted)}"
            name = say("contract.report.arrow.once_more", lang, **counted)
        leads.setdefault(_TARGETS.get(action.do, "UnhandledStop"), []).append(name)
    yield from (f"ask --> {target}: {', '.join(names)}" for target, names in leads.items())


_TARGETS = {"run_tools": "run", "finish": "accept"}


def _running(contract: Contract, lang: str | None) -> Iterator[str]:
    yield f"run --> guard: {say('contract.report.arrow.results', lang)}"
    yield f"run --> NoProgress: {say('contract.report.arrow.circle', lang, times=contract.progress.stop_at)}"
    if contract.handlers.on_error == "propagate":
        yield f"run --> ToolFailed: {say('contract.report.arrow.propagate', lang)}"
    if contract.handlers.on_unknown == "raise":
        yield f"run --> UnknownTool: {say('contract.report.arrow.unknown', lang)}"


def _accepting(contract: Contract, lang: str | None) -> Iterator[str]:
    yield f"accept --> finished: {say('contract.report.arrow.holds', lang)}"
    yield f"accept --> guard: {say('contract.report.arrow.empty', lang)}"
    yield f"accept --> NoAnswer: {say('contract.report.arrow.still_empty', lang)}"
    if contract.verification is not None:
        rounds = contract.verification.rounds
        yield f"accept --> guard: {say('contract.report.arrow.problem', lang, rounds=rounds)}"
        yield f"accept --> NotVerified: {say('contract.report.arrow.unverified', lang, rounds=rounds)}"
