"""Family t: a tool that does not come back must not keep the run, nor whoever wants to end it.

Rule of this file: time is the caller's wish. A loop without a parameter for it is not judged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.alarm import heard
from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.reading import Exchange, Ran, call_form, clip, exchanges, result_text
from simulator.gate.judgements.state import SAYS_STOPPED
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SAYS_LATE = re.compile(
    r"time[ds]?.?out|deadline|too (?:long|slow|late)|did not (?:come back|return|answer|finish|respond)"
    r"|no response|hang|hung|still running|\d ?s(?:ec(?:ond)?s?)?\b"
    r"|tiempo|plazo|no (?:respond|volvi|termin|contest)|colgad",
    re.IGNORECASE,
)
"""Words by which somebody learns that a tool did not come back in time."""


def answers_for_a_hanging_tool(trace: Trace) -> Verdict:
    """A call that does not come back in its time is answered as failed, or ends the run by name.

    Findings: ``hung`` (the run waited with it), ``as_success`` (the model is told it worked), ``untold`` (the
    run ended and nobody learns why).
    """
    seen = exchanges(trace)
    found = _hanging(trace, seen)
    if found is None:
        return unknown()
    one, ran = found
    facts = {"call": call_form(ran.name, ran.input), "before": one.turn}
    later = next((each for each in seen if each.turn > one.turn), None)
    if later is not None:
        return _answered(one, ran, later, facts)
    if trace.exit.reason == "deadline":
        return broken("deadlines.hung", one.turn, **facts)
    told = heard(trace, seen, SAYS_LATE)
    if told is None:
        return unknown()
    return holds() if told else broken("deadlines.untold", one.turn, **facts, value=outcome(trace))


def stops_when_cancelled(trace: Trace) -> Verdict:
    """Of a run whose caller wants to end it while its first tools run: nothing more is asked, and it is told.

    Findings: ``deaf`` (it waited for the tool), ``went_on`` (the model was asked again), ``unsaid``.
    """
    seen = exchanges(trace)
    if not seen:  # On a slow machine, the caller may have had enough before anything was asked.
        return holds() if heard(trace, seen, SAYS_STOPPED) else unknown()
    facts: dict[str, object] = {
        "calls": ", ".join(call_form(ran.name, ran.input) for ran in seen[0].ran) or "-"
    }
    if len(seen) > 1 and len(seen[0].ran) < len(seen[0].asked):
        return unknown()  # A call that was never run kept nobody.
    if len(seen) > 1:
        return broken("deadlines.went_on", 2, **facts, requests=len(seen))
    if trace.exit.reason == "deadline":
        return broken("deadlines.deaf", 1, **facts)
    told = heard(trace, seen, SAYS_STOPPED)
    if told is None:
        return unknown()
    return holds() if told else broken("deadlines.unsaid", 1, **facts, value=outcome(trace))


def _hanging(trace: Trace, seen: list[Exchange]) -> tuple[Exchange, Ran] | None:
    """Return the call that did not come back, and its exchange.

    When a run is stopped at its deadline, what hangs is let go, and may come back just before the end.
    """
    never = next(((one, ran) for one in seen for ran in one.ran if not ran.ended), None)
    if never is None and trace.exit.reason == "deadline" and seen and seen[-1].ran:
        return seen[-1], seen[-1].ran[-1]
    return never


def _answered(one: Exchange, ran: Ran, later: Exchange, facts: dict[str, object]) -> Verdict:
    """Judge what the request after it says of the call that never came back."""
    if later.response is not None and later.response.by == "rule":
        return unknown()  # Refused: nothing of it was told to anybody.
    call = next((b for b in one.asked if (b.get("name"), b.get("input")) == (ran.name, ran.input)), {})
    for block in wire.results(later.messages):
        if block.get("tool_use_id") == call.get("id"):
            said = result_text(block.get("content"))
            if block.get("is_error") is True or SAYS_LATE.search(said):
                return holds()
            return broken("deadlines.as_success", later.turn, **facts, sent=clip(said, 50))
    return unknown()


PROBES: tuple[Probe, ...] = (
    probe(answers_for_a_hanging_tool, "t", Case("scanner_hangs", {"tool_seconds": 0.3}), katas=("25",)),
    probe(
        stops_when_cancelled,
        "t",
        Case("scanner_hangs", {"cancelled": 0.4}),
        Case("slow_kiln", {"cancelled": 60}),
        katas=("25",),
    ),
)
