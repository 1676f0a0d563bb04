"""Family j: what is transient is waited for, what is not is not repeated.

Rules of this file:

1. A failure counts where the recording answers with it. A refusal for what the loop itself sent (an API rule)
   is other families' matter, and so is a conversation that is too long.
2. Whose retries they are does not matter: the loop's own, or the SDK's on its behalf.
3. The conversation is what must stay the same. Another model for the same conversation is a way to go on.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from simulator.gate.judgements.alarm import SAYS_FAILED, heard
from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.reading import Exchange, Ran, call_form, clip, exchanges, result_text
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

MOST = 10
"""Requests with one conversation that failed each time, from which on nobody can call it bounded patience."""

SLACK = 0.05
"""Seconds that a wait may be short of what was asked for: rounding."""

_PASSING = (408, 409, 429)
_KEPT = ("max_tokens", "tool_choice", "thinking")


def asks_again_later(trace: Trace) -> Verdict:
    """After a failure that passes, the very same conversation is sent again, not before the time asked for.

    Findings: ``gave_up`` (never asked again), ``changed`` (another conversation: the model is told of it),
    ``settings`` (the same conversation with another ``max_tokens``), ``too_soon``.
    """
    seen = exchanges(trace)
    judged = False
    for place, failed in enumerate(seen):
        if not _passes(failed):
            continue
        if place + 1 == len(seen):
            return _not_again(trace, seen, failed) if not judged else holds()
        found = _again(failed, seen[place + 1])
        if found.outcome != "pass":
            return found
        judged = True
    return holds() if judged else unknown()


def backs_off(trace: Trace) -> Verdict:
    """Where the API names no time, tries are spaced, and not ever closer.

    Findings: ``hammers``, ``shrinking``.
    """
    seen = exchanges(trace)
    waits = _waits(seen)
    if not waits:
        return holds() if any(map(_passes, seen)) else unknown()
    turn, slept = waits[-1][0], [seconds for _, seconds in waits]
    shown = ", ".join(f"{seconds:.2g}" for seconds in slept)
    # Two layers that retry wait now and then only; what most tries waited is what counts.
    if median(slept) < SLACK:
        return broken("retries.hammers", turn, tries=len(slept) + 1, waits=shown)
    ever_shorter = all(after < before for before, after in pairwise(slept))
    # Chance may put a shorter wait after a longer one: that is jitter. Half of the first is more than jitter.
    if len(slept) > 2 and ever_shorter and slept[-1] < slept[0] / 2:
        return broken("retries.shrinking", turn, tries=len(slept) + 1, waits=shown)
    return holds()


def gives_up_in_time(trace: Trace) -> Verdict:
    """A failure that does not pass ends the run after a few tries, and the caller learns of it.

    Findings: ``endless``, ``silent``.
    """
    seen = exchanges(trace)
    tries = _failed_at_the_end(seen)
    if not tries:
        return unknown()
    facts = {"tries": len(tries), "most": MOST, **_failure(tries[-1])}
    if len(tries) > MOST:
        return broken("retries.endless", tries[MOST].turn, **facts)
    told = heard(trace, seen, SAYS_FAILED)
    if told is None:
        return unknown()
    return holds() if told else broken("retries.silent", tries[-1].turn, **facts, value=outcome(trace))


def fails_at_once(trace: Trace) -> Verdict:
    """What no waiting mends (a bad key, a forbidden model) is asked for once, and the caller learns of it.

    Findings: ``hopeless`` (asked again), ``went_on`` (the conversation was changed, the refusal stayed),
    ``hushed`` (the caller learns nothing).
    """
    seen = exchanges(trace)
    refused = next((one for one in seen if _hopeless(one)), None)
    if refused is None:
        return unknown()
    facts = _failure(refused)
    after = [one for one in seen if one.turn > refused.turn and not _other_model(refused, one)]
    if after:
        same = [one for one in after if one.request.digest == refused.request.digest]
        finding = "hopeless" if same else "went_on"
        return broken(f"retries.{finding}", after[0].turn, **facts, first=refused.turn, times=1 + len(after))
    if len(seen) > refused.turn:
        return holds()
    told = heard(trace, seen, SAYS_FAILED)
    if told is None:
        return unknown()
    return holds() if told else broken("retries.hushed", refused.turn, **facts, value=outcome(trace))


def runs_tools_once(trace: Trace) -> Verdict:
    """A tool that did its work does not do it again when the request after it fails. Finding: ``twice``."""
    seen = exchanges(trace)
    asked = Counter(_key(block.get("name"), block.get("input")) for one in seen for block in one.asked)
    done: Counter[str] = Counter()
    after_failure = False
    for one in seen:
        after_failure = after_failure or _passes(one)
        for ran in one.ran:
            key = _key(ran.name, ran.input)
            done[key] += _worked(ran)
            if after_failure and done[key] > max(1, asked[key]):
                call = call_form(ran.name, ran.input)
                return broken("retries.twice", one.turn, call=call, times=done[key], asked=asked[key])
    return holds() if after_failure and done else unknown()


def _passes(one: Exchange) -> bool:
    """True when *one* failed in a way that a little time mends."""
    status = one.response.status if one.response else 0
    return _recorded(one) and (status in _PASSING or status >= 500)


def _hopeless(one: Exchange) -> bool:
    status = one.response.status if one.response else 0
    too_long = "too long" in str(_error(one).get("message", "")).lower() or status == 413
    return _recorded(one) and 400 <= status < 500 and status not in _PASSING and not too_long


def _recorded(one: Exchange) -> bool:
    return one.response is not None and one.response.by != "rule"


def _error(one: Exchange) -> dict[str, object]:
    return (one.response.error if one.response else None) or {}


def _again(failed: Exchange, after: Exchange) -> Verdict:
    """Judge the request after a failed one."""
    facts = {**_failure(failed), "before": failed.turn}
    if after.request.digest != failed.request.digest:
        return broken("retries.changed", after.turn, **facts, **_new_in(failed, after))
    was, now = failed.request.parameters, after.request.parameters
    for name in _KEPT:
        if was.get(name) != now.get(name):
            return broken(
                "retries.settings", after.turn, **facts, name=name, was=was.get(name), now=now.get(name)
            )
    asked, waited = _retry_after(failed), after.request.waited
    if asked is not None and waited is not None and waited < asked - SLACK:
        return broken("retries.too_soon", after.turn, **facts, asked=f"{asked:g}", waited=f"{waited:.2g}")
    return holds()


def _not_again(trace: Trace, seen: list[Exchange], failed: Exchange) -> Verdict:
    """Judge a run that ended at its first failure."""
    if trace.exit.reason not in ("returned", "raised", "exited"):
        return unknown()
    return broken("retries.gave_up", failed.turn, **_failure(failed), value=outcome(trace))


def _waits(seen: list[Exchange]) -> list[tuple[int, float]]:
    """Return turn and wait of every try after a failure whose answer named no time, in the last such row."""
    found: list[tuple[int, float]] = []
    for failed, after in pairwise(seen):
        if _passes(failed) and _retry_after(failed) is None and after.request.waited is not None:
            found.append((after.turn, after.request.waited))
        elif not _passes(failed):
            found.clear()
    return found


def _failed_at_the_end(seen: list[Exchange]) -> list[Exchange]:
    """Return the tries at the end that all failed."""
    found: list[Exchange] = []
    for one in reversed(seen):
        if not _passes(one):
            break
        found.insert(0, one)
    return found


def _other_model(refused: Exchange, one: Exchange) -> bool:
    return refused.request.parameters.get("model") != one.request.parameters.get("model")


def _retry_after(one: Exchange) -> float | None:
    try:
        return float(str(_error(one).get("retry_after")))
    except ValueError:
        return None


def _new_in(failed: Exchange, after: Exchange) -> dict[str, object]:
    """Return by how many turns *after* is longer, and how it ends."""
    last = after.messages[-1] if after.messages else {}
    said = wire.text_of(last.get("content")) or result_text(last.get("content"))
    return {"more": f"{len(after.messages) - len(failed.messages):+d}", "said": clip(said, 60)}


def _worked(ran: Ran) -> bool:
    return ran.ended and not ran.is_error


def _key(name: object, given: object) -> str:
    return wire.canonical_json([name, given])


def _failure(one: Exchange) -> dict[str, object]:
    error = _error(one)
    status = one.response.status if one.response else 0
    said = clip(str(error.get("message", "")), 60).rstrip(".")
    return {"status": status, "type": error.get("type"), "error": said}


PROBES: tuple[Probe, ...] = (
    probe(asks_again_later, "j", "rate_limited", "shaky_api", katas=("14",)),
    probe(backs_off, "j", "api_outage", katas=("14",)),
    probe(gives_up_in_time, "j", "api_outage", criteria=(6,), katas=("14",)),
    probe(
        fails_at_once,
        "j",
        "key_refused",
        "access_refused",
        "model_not_found",
        "credit_runs_out",
        criteria=(6,),
        katas=("14",),
    ),
    probe(runs_tools_once, "j", "rate_limited", "shaky_api", katas=("14",)),
)
