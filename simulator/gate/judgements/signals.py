"""Family h: each ``stop_reason`` has its own consequence, and one that nobody knows ends the run by name.

Rules of this file:

1. What a loop has no answer to, it may refuse by name: an exception, or a value, that says so. What it may
   not do is to hand it back as if the work were done.
2. A bare response with the signal in it counts as telling for a signal that the API documents: its caller can
   look it up. Of an unknown one nobody can know what it means, so the loop has to say that it does not know.
3. ``end_turn``, ``tool_use`` and ``max_tokens`` are judged by ``ending`` and ``truncation``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements import pauses, silence
from simulator.gate.judgements.ending import outcome, squeeze, texts
from simulator.gate.judgements.named import SETTINGS, claims_success, crashed, named
from simulator.gate.judgements.reading import FINAL, call_form, clip, exchanges
from simulator.gate.judgements.silence import MOST, failed, same_request
from simulator.gate.judgements.telling import tells
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.trace.events import SIGNALS

if TYPE_CHECKING:
    from simulator.trace.document import Trace

REFUSED = re.compile(
    r"refus|declin|unhandled|unsupported|unexpected|rechaz|neg(?:ad|ativa|ó)|rehus", re.IGNORECASE
)

FULL = re.compile(
    r"context|window|too[ _-]?long|incomplete|truncat|partial|unfinished|cut[ _-]?(?:off|short)|unhandled"
    r"|unsupported|unexpected|contexto|ventana|incomplet|truncad|parcial|cortad|sin (?:terminar|acabar)",
    re.IGNORECASE,
)

UNKNOWN = re.compile(
    r"unhandled|unknown|unexpected|unsupported|unrecogni[sz]ed|not (?:supported|known|handled|recogni[sz]ed)"
    r"|desconocid|inesperad|no (?:contemplad|reconocid|esperad|admitid|soportad)|sin tratar",
    re.IGNORECASE,
)


def takes_up_a_paused_turn(trace: Trace) -> Verdict:
    """``pause_turn``: the paused turn is sent back unchanged. Findings: see ``pauses.resumes``."""
    return pauses.resumes(trace)


def bounds_the_pauses(trace: Trace) -> Verdict:
    """``pause_turn`` again and again: the run ends, and says why. Findings: see ``pauses.bounds``."""
    return pauses.bounds(trace)


def reports_a_refusal(trace: Trace) -> Verdict:
    """``refusal``: the same request is not sent again, and the caller learns of it.

    Findings: ``refusal_resent``, ``refusal_pressed`` (asked on, in other words), ``refusal_as_answer``,
    ``refusal_unnamed`` (an exception that does not say so).
    """
    seen = exchanges(trace)
    refused = [one for one in seen if one.signal == "refusal"]
    if not refused:
        return unknown()
    facts = {"text": clip(refused[0].text, 60), "before": refused[0].turn}
    for one in seen:
        if one.turn > refused[0].turn and same_request(one, refused[0]):
            return broken("signals.refusal_resent", one.turn, **facts)
    if len(refused) > 1 + MOST:
        return broken("signals.refusal_pressed", refused[1 + MOST].turn, **facts, times=len(refused))
    if crashed(trace) or failed(seen[-1]):
        return unknown()
    if trace.exit.reason == "returned" and seen[-1].signal in FINAL:
        return holds()
    if tells(trace, seen, REFUSED, SETTINGS) and not claims_success(trace):
        return holds()
    finding = "refusal_unnamed" if trace.exit.reason == "raised" else "refusal_as_answer"
    return broken(f"signals.{finding}", refused[-1].turn, **facts, value=outcome(trace))


def reports_a_full_context(trace: Trace) -> Verdict:
    """``model_context_window_exceeded``: the caller learns of it, and a cut call never runs.

    Findings: ``full_call_ran``, ``full_resent`` (the same request again, more than once), ``full_as_answer``,
    ``full_unnamed``.
    """
    seen = exchanges(trace)
    full = [one for one in seen if one.signal == "model_context_window_exceeded"]
    if not full:
        return unknown()
    facts = {"text": clip(full[0].text, 60), "before": full[0].turn}
    for one in full:
        if one.ran:
            ran = call_form(one.ran[0].name, one.ran[0].input)
            return broken("signals.full_call_ran", one.turn, **facts, ran=ran)
    again = [one for one in seen if one.turn > full[0].turn and same_request(one, full[0])]
    if len(again) > 1:
        return broken("signals.full_resent", again[1].turn, **facts, times=len(again) + 1)
    if crashed(trace) or failed(seen[-1]):
        return unknown()
    if trace.exit.reason == "returned" and seen[-1].signal in FINAL:
        return holds()
    if tells(trace, seen, FULL, SETTINGS) and not claims_success(trace):
        return holds()
    finding = "full_unnamed" if trace.exit.reason == "raised" else "full_as_answer"
    return broken(f"signals.{finding}", full[-1].turn, **facts, value=outcome(trace))


def ends_at_a_stop_sequence(trace: Trace) -> Verdict:
    """``stop_sequence``: the model wrote a text that the caller had named as the end. It is one.

    Findings: ``sequence_went_on``, ``sequence_lost`` (the text is not in what came back).
    """
    seen = exchanges(trace)
    last = next((one for one in seen if one.signal == "stop_sequence"), None)
    if last is None:
        return unknown()
    facts = {"text": clip(last.text, 60), "before": last.turn, "value": outcome(trace)}
    if seen[-1] is not last:
        return broken("signals.sequence_went_on", last.turn + 1, **facts)
    if crashed(trace) or named(trace, seen, re.compile("stop_sequence")):
        return unknown() if crashed(trace) else holds()
    if squeeze(last.text) in squeeze(" ".join([*texts(trace.exit.value), trace.exit.message or ""])):
        return holds()
    return broken("signals.sequence_lost", last.turn, **facts)


def names_an_unknown_signal(trace: Trace) -> Verdict:
    """A ``stop_reason`` that nobody knows ends the run at once, by name.

    Findings: ``unknown_went_on``, ``unknown_as_success`` (handed back as any answer is), ``unknown_unnamed``.
    """
    seen = exchanges(trace)
    odd = next((one for one in seen if one.signal and one.signal not in SIGNALS), None)
    if odd is None:
        return unknown()
    facts = {"signal": odd.signal, "text": clip(odd.text, 60), "before": odd.turn, "value": outcome(trace)}
    if seen[-1] is not odd or odd.ran:
        finding, turn = "unknown_went_on", odd.turn + 1 if seen[-1] is not odd else odd.turn
        return broken(f"signals.{finding}", turn, **facts, ran=len(odd.ran))
    if crashed(trace):
        return unknown()
    words = re.compile(f"{UNKNOWN.pattern}|{re.escape(odd.signal or '')}", re.IGNORECASE)
    if named(trace, seen, words) and not claims_success(trace):
        return holds()
    raised = trace.exit.reason == "raised"
    return broken(f"signals.{'unknown_unnamed' if raised else 'unknown_as_success'}", odd.turn, **facts)


def answers_an_empty_end(trace: Trace) -> Verdict:
    """``end_turn`` without a word: asked about at most twice, then an end. Findings: see ``silence``."""
    return silence.empty_end(trace)


def survives_tool_use_without_a_call(trace: Trace) -> Verdict:
    """``tool_use`` and no call: nothing empty is sent, and the run ends. Findings: see ``silence``."""
    return silence.no_call(trace)


ODD = "unheard_of"
"""A ``stop_reason`` that the API does not have."""

ROOM = {"steps?": 20}

PROBES: tuple[Probe, ...] = (
    probe(takes_up_a_paused_turn, "h", "search_paused_once", katas=("08",)),
    probe(bounds_the_pauses, "h", Case("search_that_pauses", {"steps?": 8}), criteria=(2,), katas=("08",)),
    probe(
        reports_a_refusal,
        "h",
        "refused_letter",
        Case("refused_letter", what_if={1: "refusal"}),
        criteria=(2, 6),
        katas=("08",),
    ),
    probe(
        reports_a_full_context,
        "h",
        "window_is_full",
        Case("list_then_read", what_if={1: "model_context_window_exceeded"}),
        criteria=(2, 6),
        katas=("08",),
    ),
    probe(
        ends_at_a_stop_sequence,
        "h",
        Case("not_done_yet", what_if={4: "stop_sequence"}),
        criteria=(2,),
        katas=("08",),
    ),
    probe(
        names_an_unknown_signal,
        "h",
        Case("list_then_read", what_if={3: ODD}),
        Case("list_then_read", what_if={1: ODD}),
        criteria=(2, 6),
        katas=("08",),
    ),
    probe(answers_an_empty_end, "h", Case("empty_answer", ROOM)),
    probe(survives_tool_use_without_a_call, "h", Case("tool_use_without_a_call", ROOM)),
)
