"""Family o: whether the work is done is decided by a check, not by the model's word for it.

Rules of this file:

1. The check is the caller's. What it finds goes back to the model, in words the model can work with.
2. How often is for the loop to decide (``continuation`` holds that it is bounded); what it hands back after
   that is not success, in whatever form it says so. An exception is none, whatever it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import outcome, show, squeeze, texts
from simulator.gate.judgements.named import (
    LIMIT,
    claims_success,
    crashed,
    is_response,
    named,
    says_unverified,
)
from simulator.gate.judgements.reading import FINAL, Exchange, clip, exchanges
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SCENARIO = "wrong_total"

PROBLEM = "The count of the tower is missing from the total."
"""What the check finds. It is as new to the model as to the loop: its words stand nowhere else."""


def sends_the_problem_back(trace: Trace) -> Verdict:
    """What the check found is in the next request. Findings: ``believed``, ``problem_untold``."""
    seen = exchanges(trace)
    first = _claim(seen)
    if first is None:
        return unknown()
    after = next((one for one in seen if one.turn > first.turn), None)
    facts = {"text": clip(first.text, 60), "problem": PROBLEM}
    if after is None:
        if says_unverified(trace, seen):
            return not_applicable("verification.no_rounds")
        if crashed(trace) or trace.exit.reason != "returned":
            return unknown()
        return broken("verification.believed", first.turn, **facts, value=_handed(trace))
    said = [wire.text_of(wire.blocks(turn.get("content"))) for turn in after.messages[len(first.messages) :]]
    if any(squeeze(PROBLEM) in squeeze(text) for text in said) or "system" in after.request.parameters:
        return holds()
    sent = clip(said[-1] if said else "", 60)
    return broken("verification.problem_untold", after.turn, **facts, sent=sent)


def returns_the_answer(trace: Trace) -> Verdict:
    """Once the check agrees, the last answer comes back. Findings: ``nothing``, ``not_the_answer``."""
    seen = exchanges(trace)
    if not seen or seen[-1].signal not in FINAL or crashed(trace):
        return unknown()
    if trace.exit.reason == "raised":
        unverified = says_unverified(trace, seen)
        return not_applicable("verification.no_rounds") if unverified else unknown()
    last = seen[-1]
    if trace.exit.value is None:
        return broken("verification.nothing", last.turn, text=clip(last.text, 60))
    if squeeze(last.text) not in squeeze(" ".join(texts(trace.exit.value))):
        return broken(
            "verification.not_the_answer", last.turn, text=clip(last.text, 60), value=_handed(trace)
        )
    return holds()


def unverified_is_no_success(trace: Trace) -> Verdict:
    """A check that never agrees: what comes back in the end is not success. Finding: ``as_success``."""
    return _no_success(trace)


def a_limit_is_no_success(trace: Trace) -> Verdict:
    """A limit that ends the run while the check still disagrees: no success. Finding: ``as_success``."""
    return _no_success(trace)


def _no_success(trace: Trace) -> Verdict:
    seen = exchanges(trace)
    claim = _claim(seen)
    if claim is None or crashed(trace) or (seen[-1].response and seen[-1].response.error):
        return unknown()
    rounds = sum(one.signal in FINAL for one in seen)
    facts = {"rounds": rounds, "requests": len(seen), "value": _handed(trace)}
    told = says_unverified(trace, seen) or named(trace, seen, LIMIT)
    if trace.exit.reason == "raised" or (told and not claims_success(trace)):
        return holds()
    return broken("verification.as_success", seen[-1].turn, **facts)


def _handed(trace: Trace) -> str:
    """Return what the caller gets; of a response its text, since it is the text that passed or did not."""
    value = trace.exit.value
    return show(str(value.get("text"))) if is_response(value) else outcome(trace)


def _claim(seen: list[Exchange]) -> Exchange | None:
    """Return the first answer by which the model says that it is done."""
    return next((one for one in seen if one.signal in FINAL and one.text.strip()), None)


def _case(check: object, **more: object) -> Case:
    return Case(SCENARIO, {"check": check, **more})


NEVER = {"always": PROBLEM}

PROBES: tuple[Probe, ...] = (
    probe(sends_the_problem_back, "o", _case([PROBLEM]), katas=("13",)),
    probe(returns_the_answer, "o", _case([]), _case([PROBLEM]), katas=("13",)),
    probe(unverified_is_no_success, "o", _case(NEVER), criteria=(6,), katas=("13",)),
    probe(a_limit_is_no_success, "o", _case(NEVER, steps=3), criteria=(6,), katas=("13",)),
)
