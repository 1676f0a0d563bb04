"""Family c: an answer cut at ``max_tokens`` is not an answer; whoever asked must be able to tell.

Rules of this file:

1. The caller is told when what comes back says so by a name or a word of its own, in whatever form: a
   response whose ``stop_reason`` is ``max_tokens``, a flag such as ``truncated`` or ``complete``, a status, a
   notice beside the text, an exception. The model's own words never count: a report may well speak of
   incomplete work.
2. A bounded retry that ends with the model's own end of turn needs no notice: the answer is whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import outcome, squeeze, texts
from simulator.gate.judgements.reading import FINAL, Exchange, call_form, clip, exchanges
from simulator.gate.judgements.telling import tells
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

CUT = "max_tokens"

MOST = 8
"""Cut answers that a loop may pay for before it says so; four times the room, twice over, is three."""

LONG = 200
"""Characters from which a text is an answer and not a remark that may well be made twice."""

SAYS_CUT = re.compile(
    r"max[ _-]?tokens|truncat|incomplete|unfinished|partial|cut[ _-]?(?:off|short)|(?:was|is)[ _-]cut"
    r"|^\W*cut\W*$"
    r"|not (?:yet )?(?:complete|finished|whole)\b|(?:out of|ran out of) (?:room|tokens|space)"
    r"|(?:tokens?|length|output)[ _-]?limit"
    r"|truncad|incomplet|inacabad|parcial|cortad|sin (?:terminar|acabar)|l[ií]mite de tokens",
    re.IGNORECASE,
)
"""Words that name a cut, in English and Spanish."""


def is_told(trace: Trace) -> Verdict:
    """A cut answer reaches the caller as cut, or the loop went on, within bounds, until it was whole.

    Findings: ``taken_for_whole``, ``call_untold`` (the same, where a call was cut), ``unbounded``,
    ``prefill`` (the cut turn sent back as the last one), ``dangling`` (a cut call sent back unanswered),
    ``unsaid`` (an exception that carries the text and does not say why), ``too_much`` (more room asked for
    than the SDK sends without streaming), ``limit_ignored`` (nothing was cut, because the loop asked for
    more room than it was told to).
    """
    seen = exchanges(trace)
    cut = _cut(seen)
    if not cut:
        return _limit_ignored(trace, seen)
    facts = _facts(cut[0])
    if trace.exit.reason == "runaway":
        return broken("truncation.unbounded", cut[-1].turn, **facts, requests=len(seen), cuts=len(cut))
    if _refused(seen[-1]):
        return _why_refused(seen, facts)
    if trace.exit.reason == "returned" and seen[-1].signal in FINAL:
        return holds()
    if trace.exit.reason not in ("returned", "raised"):
        return unknown()
    if says_cut(trace, seen):
        return holds()
    if trace.exit.reason == "raised":
        return _why_raised(trace, seen[-1], cut)
    finding = "call_untold" if seen[-1].asked else "taken_for_whole"
    return broken(f"truncation.{finding}", seen[-1].turn, **facts, value=outcome(trace))


def keeps_the_text(trace: Trace) -> Verdict:
    """What the model had written is in what the caller gets, once and in its order.

    Findings: ``text_lost``, ``half``, ``disordered``, ``doubled`` (a cut attempt in front of the whole one).
    """
    seen = exchanges(trace)
    cut = _cut(seen)
    if not cut or trace.exit.reason not in ("returned", "raised"):
        return unknown()
    last = seen[-1]
    handed = _handed(trace)
    # A fresh attempt replaces the cut one; a continuation stands on it, so both pieces are needed.
    needed = [one for one in cut if one is not last and _holds_text(last, one.text)] + [last]
    lost = [one for one in needed if one.text and squeeze(one.text) not in handed]
    if not lost:
        return _once_and_in_order(trace, cut, needed)
    finding = "text_lost" if len(lost) == len(needed) else "half"
    return broken(f"truncation.{finding}", lost[0].turn, **_facts(lost[0]), value=outcome(trace))


def _handed(trace: Trace) -> str:
    """Return all that the caller has in the end; after an exception, its own list of turns is part of it."""
    own = texts(trace.exit.left.get("messages")) if trace.exit.reason == "raised" else []
    return squeeze(" ".join([*texts(trace.exit.value), trace.exit.message or "", *own]))


def _once_and_in_order(trace: Trace, cut: list[Exchange], needed: list[Exchange]) -> Verdict:
    handed, place, last = _handed(trace), 0, needed[-1]
    for one in needed:
        piece = squeeze(one.text)
        found = handed.find(piece, place)
        if found < 0:
            return broken("truncation.disordered", one.turn, **_facts(one), value=outcome(trace))
        place = found + len(piece)
    whole = squeeze(last.text)
    for text in (squeeze(text) for text in texts(trace.exit.value)):
        rest = text.replace(whole, " ") if whole and whole in text else ""
        for one in cut:
            if one not in needed and len(one.text) > LONG and squeeze(one.text) in rest:
                return broken("truncation.doubled", last.turn, **_facts(one), value=outcome(trace))
    return holds()


def _limit_ignored(trace: Trace, seen: list[Exchange]) -> Verdict:
    """Where nothing was cut: did the loop ask for more than it was told to?"""
    told = (trace.loop or {}).get("arguments", {}).get(CUT)
    for one in seen:
        asked = one.request.parameters.get(CUT)
        if isinstance(told, int) and isinstance(asked, int) and asked > told:
            return broken("truncation.limit_ignored", one.turn, told=told, asked=asked)
    return unknown()


def _why_raised(trace: Trace, last: Exchange, cut: list[Exchange]) -> Verdict:
    """Judge an exception that does not speak of a cut: a crash is none of this family's matters."""
    message = trace.exit.message or ""
    if trace.exit.error_type == "ValueError" and message.startswith("Streaming is"):
        return broken("truncation.too_much", last.turn, **_facts(cut[0]), cuts=len(cut))
    if last.signal == CUT and len(last.text) > LONG and squeeze(last.text) in _handed(trace):
        return broken("truncation.unsaid", last.turn, **_facts(last), type=trace.exit.error_type)
    return unknown()


def never_runs_a_cut_call(trace: Trace) -> Verdict:
    """A ``tool_use`` inside a cut answer is not run. Finding: ``cut_call_ran``."""
    seen = exchanges(trace)
    cut = _cut(seen)
    for one in cut:
        if one.ran:
            ran = call_form(one.ran[0].name, one.ran[0].input)
            return broken("truncation.cut_call_ran", one.turn, **_facts(one), ran=ran)
    return holds() if cut else unknown()


def stops_asking(trace: Trace) -> Verdict:
    """However often the answer is cut, the loop asks again within bounds. Finding: ``kept_asking``."""
    cut = _cut(exchanges(trace))
    if len(cut) > MOST:
        facts = {**_facts(cut[0]), "cuts": len(cut), "last": cut[MOST].request.parameters.get(CUT)}
        return broken("truncation.kept_asking", cut[MOST].turn, **facts)
    return holds() if cut else unknown()


def leaves_whole_answers_alone(trace: Trace) -> Verdict:
    """A whole answer is handed back and not called cut. Findings: ``false_alarm``, ``dropped``."""
    seen = exchanges(trace)
    if not seen or seen[-1].signal not in FINAL or trace.exit.reason not in ("returned", "raised"):
        return unknown()
    facts = {"text": clip(seen[-1].text, 60), "value": outcome(trace)}
    if says_cut(trace, seen):
        return broken("truncation.false_alarm", seen[-1].turn, **facts)
    if trace.exit.reason == "raised":
        return unknown()
    if squeeze(seen[-1].text) not in squeeze(" ".join(texts(trace.exit.value))):
        return broken("truncation.dropped", seen[-1].turn, **facts)
    return holds()


def says_cut(trace: Trace, seen: list[Exchange]) -> bool:
    """True when what the loop returned or raised names a cut, the model's own words aside (rule 1)."""
    # "max_tokens": 1024 states a limit, not that it was reached.
    return tells(trace, seen, SAYS_CUT, limits=(CUT,))


def _cut(seen: list[Exchange]) -> list[Exchange]:
    return [one for one in seen if one.signal == CUT]


def _refused(one: Exchange) -> bool:
    return one.response is not None and one.response.error is not None


def _why_refused(seen: list[Exchange], facts: dict[str, object]) -> Verdict:
    last = seen[-1]
    cut_ids = {block.get("id") for one in _cut(seen) for block in one.asked}
    answered = {block.get("tool_use_id") for block in wire.results(last.messages)}
    sent = {block.get("id") for block in wire.calls(last.messages)}
    if cut_ids & (sent - answered):
        return broken("truncation.dangling", last.turn, **facts)
    if last.messages and last.messages[-1].get("role") == "assistant":
        return broken("truncation.prefill", last.turn, **facts)
    return unknown()


def _holds_text(request: Exchange, text: str) -> bool:
    said = squeeze(" ".join(wire.text_of(turn.get("content")) for turn in request.messages))
    return bool(text) and squeeze(text) in said


def _facts(one: Exchange) -> dict[str, object]:
    calls = ", ".join(call_form(block.get("name"), block.get("input")) for block in one.asked)
    limit = one.request.parameters.get("max_tokens")
    return {
        "cut": one.turn,
        "text": clip(one.text, 60),
        "tail": _tail(one.text),
        "call": calls,
        "limit": limit,
    }


def _tail(text: str) -> str:
    line = squeeze(text)
    return line if len(line) <= 44 else "…" + line[-43:]


ROOM = {"steps?": 25}

PROBES: tuple[Probe, ...] = (
    probe(is_told, "c", "truncated_again", "cancelled_too_far", criteria=(2, 6), katas=("04",)),
    probe(keeps_the_text, "c", "truncated_again", katas=("04",)),
    probe(
        never_runs_a_cut_call,
        "c",
        "cancelled_too_far",
        Case("list_then_read", what_if={1: CUT}),
        katas=("04",),
    ),
    probe(stops_asking, "c", Case("truncated_again", ROOM), Case("cut_every_time", ROOM), katas=("04",)),
    probe(leaves_whole_answers_alone, "c", "not_done_yet", "unfinished_in_words", katas=("04",)),
)
