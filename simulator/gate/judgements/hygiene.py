"""Family s: nothing empty and no trailing assistant turn is sent, and the tools stay on offer.

Rules of this file:

1. An empty text of the model's own is left out when its turn goes back; what stands beside it stays.
2. A turn that is paused by the server is sent back last. It is the one exception to the rule that a request
   ends with the user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gate.judgements.reading import Exchange, exchanges
from simulator.gate.judgements.rounds import blank, form, rounds
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


def sends_no_blank_text(trace: Trace) -> Verdict:
    """No text block of a request is empty or white space, and no call is lost with the empty text beside it.

    Findings: ``blank_sent``, ``call_lost``.
    """
    seen = exchanges(trace)
    came = [one for one in seen if any(map(blank, one.content))]
    for one in seen:
        for place, turn in enumerate(one.messages):
            if any(map(blank, wire.blocks(turn.get("content")))):
                facts = {"place": place, "role": turn.get("role")}
                return broken("hygiene.blank_sent", one.turn, **facts)
    for each in rounds(trace):
        if each.before not in came or each.after is None or each.after.request.repeats is not None:
            continue
        there = {block.get("id") for block in wire.calls(each.after.messages)}
        lost = next((call for call in each.before.asked if call.get("id") not in there), None)
        if lost is not None:
            return broken("hygiene.call_lost", each.after.turn, before=each.before.turn, call=form(lost))
    return holds() if any(one.turn < seen[-1].turn for one in came) else _nothing_came(trace, came)


def _nothing_came(trace: Trace, came: list[Exchange]) -> Verdict:
    """Judge a run in which no request followed a blank text: one that ended there has sent none."""
    return holds() if came and trace.exit.reason in ("returned", "raised") else unknown()


def ends_with_the_user(trace: Trace) -> Verdict:
    """The last turn of a request is the user's, unless the answer before was paused. Finding: ``trailing``.

    An answer that was cut off and sent back to be continued is told by ``truncation``, one whose calls have
    no results after it by ``history`` and ``order``.
    """
    seen = exchanges(trace)
    signal: str | None = None
    for one in seen:
        turns = wire.merge(one.messages)
        ends = bool(turns) and turns[-1]["role"] == "assistant" and not list(wire.calls(turns[-1:]))
        if ends and signal not in ("pause_turn", "max_tokens"):
            return broken("hygiene.trailing", one.turn, signal=signal or "-", before=one.turn - 1)
        signal = one.signal or signal
    return holds() if len(seen) > 1 else unknown()


def keeps_the_tools_on_offer(trace: Trace) -> Verdict:
    """A request whose history has calls or results says which tools there are. Finding: ``tools_gone``."""
    judged = False
    for one in exchanges(trace):
        used = [*wire.calls(one.messages), *wire.results(one.messages)]
        if not used or not trace.tools:
            continue
        judged = True
        if one.request.parameters.get("tools") == []:
            names = ", ".join(wire.tool_names({"tools": trace.tools}))
            return broken("hygiene.tools_gone", one.turn, blocks=len(used), tools=names)
    return holds() if judged else unknown()


PROBES: tuple[Probe, ...] = (
    probe(sends_no_blank_text, "s", "empty_words", "blank_answer", katas=("26",)),
    probe(ends_with_the_user, "s", "blank_answer", "list_then_read", katas=("26",)),
    # A limit is where loops take the tools away, for a last answer.
    probe(keeps_the_tools_on_offer, "s", Case("todo_list", {"steps?": 3}), "list_then_read", katas=("26",)),
)
