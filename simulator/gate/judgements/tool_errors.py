"""Family i: a failing tool is a message to the model or an exception to the caller, never silence.

Rules of this file:

1. Both policies are right: to hand the failure on to whoever called the loop, and to tell the model. A loop
   that does the first has nothing to be judged on about the second.
2. A failure is told to the model when its result is flagged ``is_error`` and says something of why.
3. Nothing is demanded of the wording. What counts is whether words of the failure are in it, or names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.alarm import SAYS_FAILED, SLIPS, heard
from simulator.gate.judgements.ending import outcome, show
from simulator.gate.judgements.reading import Exchange, Ran, clip, exchanges, result_text
from simulator.gate.judgements.rounds import Round, flagged, form, offered, rounds, sent_text
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SECRET = re.compile(
    r"\bsk-[\w-]{8,}|(?<=api_key=)[\w-]{8,}|(?<=Bearer )[\w.-]{8,}|(?<=password=)\S{6,}|(?<=://)[^\s/:@]+:[^\s/:@]+(?=@)"
)
"""What nobody but the tool has a use for."""

TRACEBACK = re.compile(r"Traceback \(most recent call last\)|File \"[^\"]+\", line \d+")

_GENERIC = frozenset({"error", "errors", "failed", "failure", "tool", "call", "the", "not", "and", "for"})
"""Words that every failure is told with."""


def a_failure_is_told(trace: Trace) -> Verdict:
    """A tool that failed reaches the caller as an exception, or the model as an error with its reason.

    Findings: ``hushed`` (the loop came back as if nothing were), ``left_out`` (the call has no result),
    ``silent`` (a result that tells nothing of a failure), ``unflagged`` (told in words, without
    ``is_error``), ``no_reason`` (flagged, and not a word of why).
    """
    failures = _failures(trace)
    for one, call, ran in failures:
        if one.muddled:
            return unknown()
        facts = {"before": one.before.turn, "call": form(call), "reason": clip(result_text(ran.content), 60)}
        if one.after is None:
            told = heard(trace, exchanges(trace), SAYS_FAILED)
            if told is None:
                return unknown()
            return (
                holds()
                if told
                else broken("tool_errors.hushed", one.before.turn, **facts, value=outcome(trace))
            )
        finding = _how_told(one, call, ran)
        if finding:
            sent = clip(sent_text(one.result(call)), 60)
            return broken(f"tool_errors.{finding}", one.after.turn, **facts, sent=sent)
    return holds() if failures else unknown()


def keeps_secrets(trace: Trace) -> Verdict:
    """A key in the text of a tool's exception does not go to the model. Finding: ``secret``."""
    failures = _failures(trace)
    for one, call, ran in failures:
        text = _all_text(one.after) if one.after else ""
        out = next((key for key in SECRET.findall(result_text(ran.content)) if key in text), None)
        if one.after is not None and out is not None:
            shown = f"{out[:8]}…"  # Whoever reads the report has no use for it either.
            facts = {"before": one.before.turn, "call": form(call), "shown": shown}
            sent = clip(sent_text(one.result(call)).replace(out, shown), 80)
            return broken("tool_errors.secret", one.after.turn, **facts, sent=sent)
    return holds() if failures else unknown()


def tells_no_traceback(trace: Trace) -> Verdict:
    """The model is told what failed, not through which lines of code. Finding: ``traceback``."""
    failures = _failures(trace)
    for one, call, _ in failures:
        hit = TRACEBACK.search(_all_text(one.after)) if one.after else None
        if one.after is not None and hit is not None:
            facts = {"before": one.before.turn, "call": form(call), "shown": clip(hit.group(), 60)}
            return broken("tool_errors.traceback", one.after.turn, **facts)
    return holds() if failures else unknown()


def answers_an_unknown_tool(trace: Trace) -> Verdict:
    """A tool that does not exist is answered with an error that names those that do, or stops the run aloud.

    Findings: ``unknown_hushed``, ``unknown_left_out``, ``unknown_unflagged``, ``unknown_unnamed``.
    """
    known = offered(trace)
    for one in rounds(trace):
        call = next((call for call in one.before.asked if call.get("name") not in known), None)
        if call is None or one.muddled:
            continue
        facts = {"before": one.before.turn, "name": call.get("name"), "tools": ", ".join(known)}
        if one.after is None:
            return _of_the_unknown(trace, one, facts)
        block = one.result(call)
        sent = sent_text(block)
        if block is None:
            return broken("tool_errors.unknown_left_out", one.after.turn, **facts)
        if not flagged(block):
            return broken("tool_errors.unknown_unflagged", one.after.turn, **facts, sent=clip(sent, 60))
        if not any(name in sent for name in known):
            return broken("tool_errors.unknown_unnamed", one.after.turn, **facts, sent=clip(sent, 60))
        return holds()
    return unknown()


def success_is_not_flagged(trace: Trace) -> Verdict:
    """What came back well is not sent as an error, whatever words are in it. Finding: ``false_flag``."""
    judged = False
    for one in rounds(trace):
        for call in one.before.asked:
            ran, block = one.ran(call), one.result(call)
            if one.after is None or ran is None or not ran.ended or ran.is_error or block is None:
                continue
            judged = True
            if flagged(block):
                facts = {"before": one.before.turn, "call": form(call), "result": show(ran.content)}
                return broken("tool_errors.false_flag", one.after.turn, **facts)
    return holds() if judged else unknown()


def an_interrupt_interrupts(trace: Trace) -> Verdict:
    """Ctrl-C in a tool ends the run; the model is not asked again. Finding: ``interrupt_overruled``."""
    for one in rounds(trace):
        cut = next((ran for ran in one.before.ran if not ran.ended), None)
        call = next((call for call in one.before.asked if cut is not None and call.get("id") == cut.id), None)
        if call is None:
            continue
        if one.after is None:
            return holds()
        sent = clip(sent_text(one.result(call)), 60)
        facts = {"before": one.before.turn, "call": form(call), "sent": sent}
        return broken("tool_errors.interrupt_overruled", one.after.turn, **facts)
    return unknown()


def an_error_teaches(trace: Trace) -> Verdict:
    """Of an error that says little, the model learns which call failed, or with what. Finding: ``terse``."""
    seen, failures = exchanges(trace), _failures(trace)
    for one, call, ran in failures:
        if one.after is None:
            told = heard(trace, seen, SAYS_FAILED)
            return not_applicable("tool_errors.propagates") if told else unknown()
        block = one.result(call)
        if block is None:
            return unknown()
        sent, reason = sent_text(block), result_text(ran.content)
        if not _teaches(sent, call, offered(trace)):
            facts = {"before": one.before.turn, "call": form(call), "sent": clip(sent, 60)}
            return broken(
                "tool_errors.terse", one.after.turn, **facts, reason=clip(reason, 40), requests=len(seen)
            )
    return holds() if failures else unknown()


def _failures(trace: Trace) -> list[tuple[Round, wire.Block, Ran]]:
    """Return every call whose handler raised, and did not come back well when it was tried again."""
    found = []
    for one in rounds(trace):
        for call in one.before.asked:
            ran = one.ran(call)
            if ran is not None and ran.is_error:
                found.append((one, call, ran))
    return found


def _how_told(one: Round, call: wire.Block, ran: Ran) -> str | None:
    block = one.result(call)
    if block is None:
        return "left_out"
    sent, reason = sent_text(block), result_text(ran.content)
    if not flagged(block):
        return "unflagged" if SAYS_FAILED.search(sent) or _shares_a_word(sent, reason, call) else "silent"
    return None if _shares_a_word(sent, reason, call) else "no_reason"


def _shares_a_word(sent: str, reason: str, call: wire.Block) -> bool:
    """True when *sent* has a word of the failure's *reason* that is not one of the call itself."""
    own = set(_words(form(call))) | _GENERIC
    telling = [word for word in _words(reason) if word not in own] or _words(reason)
    return not telling or any(word in sent.casefold() for word in telling)


def _teaches(sent: str, call: wire.Block, tools: list[str]) -> bool:
    """True when *sent* names the call that failed, what it was called with, or another tool."""
    given = call.get("input")
    values = [str(value) for value in given.values()] if isinstance(given, dict) else []
    return any(name and name in sent for name in (*tools, *values))


def _words(text: str) -> list[str]:
    return re.findall(r"\w{3,}", text.casefold())


def _all_text(one: Exchange) -> str:
    blocks = [block for message in one.messages for block in wire.blocks(message.get("content"))]
    return "\n".join(
        result_text(block.get("content")) if block.get("type") == "tool_result" else wire.text_of([block])
        for block in blocks
        if isinstance(block, dict)
    )


def _of_the_unknown(trace: Trace, one: Round, facts: dict[str, object]) -> Verdict:
    """Judge a run that ended at a call of a tool that does not exist."""
    end = trace.exit
    if end.reason == "raised" and (end.error_type not in SLIPS or str(facts["name"]) in (end.message or "")):
        return holds()
    told = heard(
        trace, exchanges(trace), re.compile(f"{re.escape(str(facts['name']))}|{SAYS_FAILED.pattern}", re.I)
    )
    if told is None:
        return unknown()
    return (
        holds()
        if told
        else broken("tool_errors.unknown_hushed", one.before.turn, **facts, value=outcome(trace))
    )


PROBES: tuple[Probe, ...] = (
    probe(a_failure_is_told, "i", "silent_station", "parallel_reads", criteria=(6,), katas=("09",)),
    probe(keeps_secrets, "i", "rejected_key", criteria=(6,), katas=("09",)),
    probe(tells_no_traceback, "i", "silent_station", katas=("09",)),
    probe(answers_an_unknown_tool, "i", "no_such_tool", criteria=(6,), katas=("09",)),
    probe(success_is_not_flagged, "i", "night_log", "list_then_read", "lost_property", katas=("09",)),
    probe(an_interrupt_interrupts, "i", "ctrl_c", criteria=(6,), katas=("09",)),
    probe(an_error_teaches, "i", "terse_error", katas=("15",)),
)
