"""Family g: a limit holds exactly, its end has a name, and what was done by then is not lost.

Rules of this file:

1. A limit is looked at before a request: none is sent when what was spent has reached it. The answer that
   reaches it still counts, and where it ends the work the run is finished and not over its budget.
2. What was spent is told by ``spending``.
3. A loop may keep a reserve: it stops too early only where two more answers like the last would have fitted.
4. A run that ended in a crash shows nothing of its budget.
5. A step is one of the work. Where all steps are taken, one more request may close the run, in which nothing
   can be called; what is counted in tokens, seconds or money has no such reserve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gate.judgements import spending
from simulator.gate.judgements.ending import outcome, squeeze, texts, yielded
from simulator.gate.judgements.named import (
    LIMIT,
    claims_success,
    conversations,
    crashed,
    named,
)
from simulator.gate.judgements.reading import FINAL, Exchange, call_form, clip, exchanges, result_text
from simulator.gate.options import OPTIONS, ROOM
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

CEILING = 12
"""Requests that are allowed where a ceiling is asked for: two more than the steps that are given.

One of them may close the run; whether a limit is exact is asked elsewhere.
"""


def keeps_to_steps(trace: Trace) -> Verdict:
    """At most so many requests, and as many as the work needs. Findings: ``over``, ``under``."""
    return _kept(trace, "steps", spending.steps)


def keeps_to_tokens(trace: Trace) -> Verdict:
    """No request once the tokens are spent, and none missing before. Findings: ``over``, ``under``."""
    return _kept(trace, "tokens", spending.tokens)


def keeps_to_seconds(trace: Trace) -> Verdict:
    """No request once the time is over, and none missing before. Findings: ``over``, ``under``."""
    return _kept(trace, "seconds", spending.seconds)


def keeps_to_money(trace: Trace) -> Verdict:
    """No request once the money is spent, and none missing before. Findings: ``over``, ``under``."""
    return _kept(trace, "money", spending.money)


def has_a_ceiling(trace: Trace) -> Verdict:
    """Work that brings more and more work comes to an end by the caller's limit. Finding: ``no_ceiling``.

    Every limit that the loop offers is set low.
    """
    seen = exchanges(trace)
    if len(seen) > CEILING:
        limits = ", ".join(OPTIONS["steps"].names[:3])
        ran = sum(len(one.ran) for one in seen)
        return broken("budget.no_ceiling", CEILING + 1, requests=len(seen), ran=ran, names=limits)
    return unknown() if crashed(trace) or not seen else holds()


def names_its_limit(trace: Trace) -> Verdict:
    """Who called learns that a limit ended the run, and not the model. Findings: ``silent``, ``unnamed``.

    And ``as_success``: the value states that the work is done.
    """
    seen = exchanges(trace)
    if crashed(trace) or (seen and not _cut_off(seen)):
        return unknown()
    facts = {"requests": len(seen), "value": outcome(trace), "limit": _given(trace)}
    turn = seen[-1].turn if seen else None
    if claims_success(trace):
        return broken("budget.as_success", turn, **facts)
    if named(trace, seen, LIMIT):
        return holds()
    return broken("budget.unnamed" if trace.exit.reason == "raised" else "budget.silent", turn, **facts)


def hands_over_the_work(trace: Trace) -> Verdict:
    """What the model had said, or its tools, is in what the caller has at the end. Finding: ``lost``."""
    seen = exchanges(trace)
    if crashed(trace) or not seen or not _cut_off(seen):
        return unknown()
    handed = squeeze(
        " ".join(
            [*texts(trace.exit.value), trace.exit.message or "", *texts(trace.exit.left.get("messages"))]
        )
    )
    said = [squeeze(one.text) for one in seen if one.text]
    brought = [squeeze(result_text(ran.content)) for one in seen for ran in one.ran]
    if any(text and (text in handed or yielded(trace, text)) for text in (*said, *brought)):
        return holds()
    facts = {"requests": len(seen), "ran": sum(len(one.ran) for one in seen), "value": outcome(trace)}
    return broken("budget.lost", seen[-1].turn, **facts, text=clip(seen[-1].text, 60))


def leaves_no_call_open(trace: Trace) -> Verdict:
    """In the conversation that is handed back, every call has its result. Finding: ``open_call``.

    So that somebody with a larger budget can go on with it.
    """
    seen = exchanges(trace)
    if crashed(trace) or not seen or not _cut_off(seen):
        return unknown()
    for turns in conversations(trace):
        answered = {block.get("tool_use_id") for block in wire.results(turns)}
        for call in wire.calls(turns):
            if call.get("id") not in answered:
                form = call_form(call.get("name"), call.get("input"))
                ran = any(ran.id == call.get("id") for one in seen for ran in one.ran)
                return broken("budget.open_call", seen[-1].turn, call=form, ran=int(ran), turns=len(turns))
    return holds()


def takes_the_last_answer(trace: Trace) -> Verdict:
    """An answer that comes with the last of the budget is the answer. Finding: ``thrown_away``."""
    seen = exchanges(trace)
    if crashed(trace) or not seen or seen[-1].signal not in FINAL:
        return unknown()
    last = seen[-1]
    facts = {"requests": len(seen), "text": clip(last.text, 60), "value": outcome(trace)}
    back = squeeze(last.text) in squeeze(" ".join(texts(trace.exit.value))) or yielded(trace, last.text)
    if trace.exit.reason == "raised" or not back:
        return broken("budget.thrown_away", last.turn, **facts, limit=_given(trace))
    return holds()


def _kept(trace: Trace, option: str, spent: spending.Spent) -> Verdict:
    name, limit = _limit(trace, option)
    if limit is None:
        return unknown()
    seen = exchanges(trace)
    for n, one in enumerate(seen):
        least, _ = spent(seen, n)
        if option == "steps" and n and least == limit and one is seen[-1] and _without_tools(one):
            continue  # Rule 5.
        if least >= limit:
            facts = {"name": name, "limit": _figure(limit), "spent": _figure(least)}
            return broken("budget.over", one.turn, **facts)
    if seen and seen[-1].signal in FINAL:
        return holds()
    if crashed(trace) or (seen and not _cut_off(seen)):
        return unknown()
    _, most = spent(seen, len(seen))
    last = most - spent(seen, len(seen) - 1)[1] if seen and option != "steps" else 0
    if most + 2 * last >= limit:
        return holds()
    facts = {"name": name, "limit": _figure(limit), "spent": _figure(most), "value": outcome(trace)}
    return broken("budget.under", seen[-1].turn if seen else None, **facts, requests=len(seen))


def _cut_off(seen: list[Exchange]) -> bool:
    """True when the run ended while the model was at work; a wrong request is another family's matter.

    A loop may spend its last request on a summary, without tools: that answer is not the end of the work.
    """
    last = seen[-1].response
    at_work = seen[-1].signal not in FINAL or (len(seen) > 1 and _without_tools(seen[-1]))
    return last is not None and last.error is None and at_work


def _without_tools(one: Exchange) -> bool:
    stated = one.request.parameters
    choice = stated.get("tool_choice")
    return stated.get("tools") == [] or (isinstance(choice, dict) and choice.get("type") == "none")


def _limit(trace: Trace, option: str) -> tuple[str, float | None]:
    """Return the name and the value of the loop's own parameter for *option*."""
    stated = (trace.loop or {}).get("arguments", {})
    for name in OPTIONS[option].names:
        value = stated.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return name, value
    return "", None


def _given(trace: Trace) -> str:
    """Return the limits that were set: ``max_iterations=2``."""
    found = [(*_limit(trace, option), room) for option, room in ROOM.items()]
    return ", ".join(f"{name}={_figure(value)}" for name, value, room in found if value not in (None, room))


def _figure(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")


def _cases(option: str, *limits: float) -> tuple[Case, ...]:
    return tuple(Case(SCENARIO, {option: limit}) for limit in limits)


SCENARIO = "nights_takings"
"""Four requests of 116,000 tokens each, and between them twenty slow seconds."""

SPENT = (
    *_cases("steps", 2),
    *_cases("tokens", 1),
    *_cases("seconds", 15),
    *_cases("money", 0.01),
)
"""Limits that end the run in the middle of the work."""

ENOUGH = (
    *_cases("steps", 4),
    *_cases("tokens", 1_000_000),
    *_cases("seconds", 1000),
    *_cases("money", 10_000),
)
"""Limits that the work just fits into, or easily."""

BUDGET = {"criteria": (5,), "katas": ("07", "12")}

LOW = {"steps?": CEILING - 2, "tokens?": 3000, "seconds?": 600, "money?": 0.001}

PROBES: tuple[Probe, ...] = (
    probe(has_a_ceiling, "g", Case("letters_in_the_cellar", LOW), **BUDGET),
    probe(keeps_to_steps, "g", *_cases("steps", 0, 1, 2, 4), **BUDGET),
    probe(keeps_to_tokens, "g", *_cases("tokens", 0, 1, 232_000, 1_000_000), criteria=(5,), katas=("12",)),
    probe(keeps_to_seconds, "g", *_cases("seconds", 0, 15, 35, 1000), katas=("12",)),
    probe(keeps_to_money, "g", *_cases("money", 0, 0.01, 10_000), katas=("12",)),
    probe(names_its_limit, "g", *_cases("steps", 0), *SPENT, criteria=(5, 6), katas=("07", "12")),
    probe(hands_over_the_work, "g", *SPENT, katas=("12",)),
    probe(leaves_no_call_open, "g", *SPENT, katas=("12",)),
    probe(takes_the_last_answer, "g", *ENOUGH, **BUDGET),
)
