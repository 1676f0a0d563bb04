"""Family k: a conversation that grows is kept within bounds, and nothing that matters is lost.

Rules of this file:

1. How a loop makes room is its own affair: it may drop old rounds, tell them in a few lines, have a model sum
   them up, or clear old results in place. What is judged is what every request then still carries.
2. Sizes are characters. A token is about four of them; a loop may estimate as it likes, so it has twice that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.gate.judgements import views
from simulator.gate.judgements.alarm import SLIPS, heard
from simulator.gate.judgements.ending import outcome, squeeze
from simulator.gate.judgements.reading import (
    FINAL,
    Exchange,
    call_form,
    clip,
    exchanges,
    hollow,
    result_text,
)
from simulator.gate.judgements.telling import mentions
from simulator.gate.options import OPTIONS
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

PER_TOKEN = 7
"""Characters that a request may have for each token of the context budget (rule 2)."""

NOTICE = 800
"""Characters that the notice of a cut result may have."""

ASIDES = 3
"""How often in a row a loop may ask on the side before it is going in a circle."""

TOO_LONG = re.compile(r"too long|too large|exceeds? the (?:context|maximum)|context (?:length|window)")
"""How the API says that a request does not fit."""

SAYS_LONG = re.compile(
    r"too.?(?:long|large|big)|context|prompt|window|overflow|token|length|exceed|limit|\b4\d\d\b|error|fail|refus"
    r"|reject|larg[oa]|contexto|ventana|l[ií]mite|exced|fall[oó]|rechaz",
    re.IGNORECASE,
)
"""Words by which a caller learns that the conversation did not fit."""

SAYS_FULL = re.compile(r"context|prompt|contexto", re.IGNORECASE)
"""Words by which a loop says that there is no room."""

SAYS_DROPPED = re.compile(
    r"compact|drop|summar|trim|shorten|prun|evict|clear|condens|truncat|forg[eo]t|remov|fold|left.?out|cut"
    r"|resum|recort|descart|elimin|acort",
    re.IGNORECASE,
)
"""Words by which somebody learns later that turns were left out."""


def learns_from_a_refusal(trace: Trace) -> Verdict:
    """A request refused as too long is answered with a smaller one or a loud end.

    Findings: ``sent_again``, ``not_smaller``, ``hushed``.
    """
    seen = exchanges(trace)
    refused = next((one for one in seen if _too_long(one)), None)
    if refused is None or refused.response is None or refused.response.error is None:
        return unknown()
    facts = {"refused": refused.turn, "size": views.size(refused), "said": refused.response.error["message"]}
    later = [one for one in seen if one.turn > refused.turn]
    for one in later:
        if one.request.digest == refused.request.digest:
            return broken("context.sent_again", one.turn, **facts)
        if views.size(one) >= views.size(refused):
            return broken("context.not_smaller", one.turn, **facts, now=views.size(one))
    if later and later[-1].signal in FINAL:
        return holds()
    told = heard(trace, seen, SAYS_LONG)
    if told is None:
        return unknown()
    return holds() if told else broken("context.hushed", refused.turn, **facts, value=outcome(trace))


def given_room(judge: Callable[[Trace], Verdict]) -> Callable[[Trace], Verdict]:
    """Return *judge*; not applicable where a loop that sent nothing says that its own prompt fills all."""

    @wraps(judge)
    def judged(trace: Trace) -> Verdict:
        end = trace.exit
        raised = end.reason == "raised" and end.error_type not in SLIPS
        full = raised and SAYS_FULL.search(f"{end.error_type} {end.message}") and not exchanges(trace)
        return not_applicable("context.filled_before") if full else judge(trace)

    return judged


@given_room
def stays_within_bounds(trace: Trace) -> Verdict:
    """No request outgrows the context budget, and the work is finished within it.

    Findings: ``grew``, ``gave_up``. A system prompt that takes half of this budget by itself leaves it open.
    """
    seen, budget = exchanges(trace), views.option(trace, "context")
    if not isinstance(budget, int) or not seen or len(wire.canonical_json(trace.system)) > 2 * budget:
        return unknown()
    facts = {"budget": budget, "bound": budget * PER_TOKEN}
    for one in seen:
        if views.size(one) > budget * PER_TOKEN:
            rounds = len({result.get("tool_use_id") for result in wire.results(one.messages)})
            return broken("context.grew", one.turn, **facts, size=views.size(one), rounds=rounds)
    last = seen[-1]
    if last.signal in FINAL:
        return holds()
    refused = last.response is None or last.response.error is not None
    if refused or heard(trace, seen, SAYS_LONG) is None:
        return unknown()
    return broken("context.gave_up", last.turn, **facts, size=views.size(last), value=outcome(trace))


def keeps_pairs_whole(trace: Trace) -> Verdict:
    """Wherever a conversation is cut, the API takes what is left. Finding: ``split``."""
    cut = False
    for before, after in pairwise(exchanges(trace)):
        cut = cut or views.shortened(before, after)
        error = after.response.error if after.response else None
        if cut and error is not None and error.get("rule"):
            facts = {"before": before.turn, "was": len(before.messages), "left": len(after.messages)}
            return broken("context.split", after.turn, **facts, said=clip(error["message"], 160))
    return holds() if cut else not_applicable("context.never_shortened")


@given_room
def keeps_the_task(trace: Trace) -> Verdict:
    """What the caller asked for stands in every request. Finding: ``task_lost``."""
    line = views.main_line(exchanges(trace))
    if len(line) < 2:
        return unknown()
    asked = views.sentences(views.said_to_model(line[0].messages))
    # Words that the loop put beside the task may change from one request to the next.
    allowed = 0.1 if views.is_the_callers(line[0]) else 0.5
    for one in line[1:]:
        told = views.told(trace, one)
        gone = [part for part in asked if part not in told]
        if sum(map(len, gone)) > allowed * sum(map(len, asked)):
            return broken("context.task_lost", one.turn, gone=clip(gone[0], 90), turns=len(one.messages))
    return holds()


@given_room
def keeps_pinned_facts(trace: Trace) -> Verdict:
    """A pinned fact stands in every request. Finding: ``fact_lost``."""
    line, facts = views.main_line(exchanges(trace)), views.option(trace, "pinned")
    if not facts or not line:
        return unknown()
    for one in line:
        gone = [str(fact) for fact in facts if squeeze(str(fact)) not in views.told(trace, one)]
        if gone:
            return broken(
                "context.fact_lost", one.turn, fact=clip(gone[0], 90), of=len(facts), gone=len(gone)
            )
    return holds() if len(line) > 1 else unknown()


@given_room
def keeps_the_live_round(trace: Trace) -> Verdict:
    """The last answer and the results of its calls are sent as they are.

    Findings: ``live_gone``, ``live_cut``.
    """
    line = views.main_line(exchanges(trace))
    for before, after in pairwise(line):
        if not before.asked or (after.response is not None and after.response.error is not None):
            continue
        facts = {"before": before.turn, "call": _calls(before)}
        calls = {block.get("id") for block in wire.calls(after.messages)}
        if not {block.get("id") for block in before.asked} <= calls:
            return broken("context.live_gone", after.turn, **facts)
        sent = {block.get("tool_use_id"): block.get("content") for block in wire.results(after.messages)}
        for ran in before.ran:
            text = result_text(sent.get(ran.id))
            if ran.id in sent and not ran.is_error and not views.stands_in(ran.content, text):
                return broken("context.live_cut", after.turn, **facts, sent=clip(text, 70))
    return holds() if len(line) > 2 else unknown()


def tells_what_it_dropped(trace: Trace) -> Verdict:
    """That something was left out is on record or told in the end. Finding: ``dropped_silently``."""
    seen = exchanges(trace)
    cut = next((after for before, after in pairwise(seen) if views.shortened(before, after)), None)
    if cut is None:
        return not_applicable("context.never_shortened")
    told = [trace.exit.left.get("records", []), trace.exit.value, trace.exit.message]
    if mentions(told, [one.text for one in seen], SAYS_DROPPED):
        return holds()
    facts = {"names": ", ".join(OPTIONS["records"].names), "turns": len(cut.messages)}
    return broken("context.dropped_silently", cut.turn, **facts)


def does_not_compact_for_ever(trace: Trace) -> Verdict:
    """Where making room gains nothing, the loop goes on or ends, but does not try for ever.

    Finding: ``for_ever``.
    """
    seen, budget = exchanges(trace), views.option(trace, "context")
    asides = views.longest_aside(seen)
    endless = trace.exit.reason in ("deadline", "runaway") or trace.exit.error_type == "RecursionError"
    if endless or asides > ASIDES:
        turn = seen[-1].turn if seen else None
        return broken("context.for_ever", turn, budget=budget, requests=len(seen), asides=asides)
    return holds() if trace.exit.reason in ("returned", "raised", "exited") else unknown()


def bounds_large_results(trace: Trace) -> Verdict:
    """A large result enters cut to the limit, and says so.

    Findings: ``too_large``, ``result_lost``, ``unmarked``.
    """
    seen, limit = exchanges(trace), views.option(trace, "result_limit")
    for before, after in pairwise(views.main_line(seen)):
        sent = {block.get("tool_use_id"): block.get("content") for block in wire.results(after.messages)}
        for ran in before.ran:
            text, whole = result_text(sent.get(ran.id)), result_text(ran.content)
            if ran.id not in sent or not isinstance(limit, int) or len(whole) <= limit:
                continue
            facts = {"call": call_form(ran.name, ran.input), "limit": limit, "size": len(whole)}
            if len(text) > limit + NOTICE:
                return broken("context.too_large", after.turn, **facts, sent=len(text))
            if hollow(text, ran) and not re.search(rf"{len(whole):,}|{len(whole)}", text):
                return broken("context.result_lost", after.turn, **facts, text=clip(text, 70))
            if not _marked(after, text, whole):
                return broken("context.unmarked", after.turn, **facts, sent=len(text), tail=text[-40:])
            return holds()
    return unknown()


def _too_long(one: Exchange) -> bool:
    error = one.response.error if one.response else None
    return error is not None and not error.get("rule") and bool(TOO_LONG.search(error.get("message", "")))


def _calls(one: Exchange) -> str:
    return ", ".join(call_form(block.get("name"), block.get("input")) for block in one.asked)


def _marked(after: Exchange, text: str, whole: str) -> bool:
    """True when something beside the result's own text says that it was cut, in it or around it."""
    last = after.messages[-1].get("content") if after.messages else None
    return any(_foreign(line, whole) for line in [*text.splitlines(), *wire.text_of(last).splitlines()])


def _foreign(line: str, whole: str) -> bool:
    """True when *line* has a word that is not part of *whole*; dots alone could be the tool's own."""
    short, long = 0, len(line)
    while short < long:
        middle = (short + long + 1) // 2
        short, long = (middle, long) if line[:middle] in whole else (short, middle - 1)
    return bool(re.search(r"[^\W_]{3,}", line[short:]))


BUDGET = 4500
"""Tokens of context in which a round of the long scenario has its place several times over, the whole not."""

LONG = Case("ten_logbooks", {"context": BUDGET, "steps?": 25, "records?": True})
FACTS = [
    "Write dates as the keepers did: 14.XI.1936.",
    "The lamp of Skarvholm burned paraffin until 1938; never call it electric.",
]

PROBES: tuple[Probe, ...] = (
    probe(learns_from_a_refusal, "k", "register_too_long", criteria=(6,), katas=("16",)),
    probe(stays_within_bounds, "k", LONG, katas=("16",)),
    probe(keeps_pairs_whole, "k", LONG, "register_too_long", katas=("16",)),
    probe(keeps_the_task, "k", LONG, "register_too_long", katas=("16",)),
    probe(
        keeps_pinned_facts,
        "k",
        Case("ten_logbooks", {"context": BUDGET, "steps?": 25, "pinned": FACTS}),
        katas=("16",),
    ),
    probe(keeps_the_live_round, "k", LONG, katas=("16",)),
    probe(tells_what_it_dropped, "k", LONG, criteria=(7,), katas=("16",)),
    probe(does_not_compact_for_ever, "k", Case("ten_logbooks", {"context": 40}), katas=("16",)),
    probe(bounds_large_results, "k", Case("whole_parish_register", {"result_limit": 4000}), katas=("17",)),
)
