"""Family a: what happened must be in the next request, because the API keeps no memory of its own.

Rules of this file:

1. ``carries_on`` is the whole matter in one judgement, as a kata asks it. The gate asks piece by piece, so
   that one fault is one finding: ``carries_all`` leaves to others what they judge.
2. Nothing is demanded of how a result is worded. Of a short one every word has to arrive, however wrapped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import ends
from simulator.gate.judgements.reading import (
    Exchange,
    call_form,
    clip,
    exchanges,
    hollow,
    never_ran,
    result_text,
    steps_from,
)
from simulator.gate.judgements.rounds import Round, flagged, form, misplaced, rounds, sent_text
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SHORT = 2_000
"""Characters up to which no loop has a reason to leave out anything of a result."""


def carries_on(trace: Trace) -> Verdict:
    """After each call for a tool, the next request holds all that was before, the call, and its result.

    Findings: ``repeated``, ``no_results``, ``no_assistant``, ``neither``, ``order``, ``lost``, ``altered``,
    ``again`` (a result that stands there twice), ``hollow`` (a result that holds nothing of what the tool
    said), ``not_run`` (a result of a tool that never ran), ``gave_up`` (the loop came back without asking the
    model again).
    """
    seen = exchanges(trace)
    for before, after in steps_from(trace):
        if before.asked:
            found = _carried(seen, before, after)
            if found.outcome != "pass":
                return found
    never_asked = not any(one.asked for one in seen)
    if never_asked or (seen[-1].asked and trace.exit.reason != "returned"):
        return unknown()
    if seen[-1].asked:
        return broken("history.gave_up", seen[-1].turn, call=_calls(seen[-1]), ran=len(seen[-1].ran))
    return holds()


def _carried(seen: list[Exchange], before: Exchange, after: Exchange) -> Verdict:
    asked = {block.get("id") for block in before.asked}
    calls = {block.get("id") for block in wire.calls(after.messages)}
    results = {block.get("tool_use_id") for block in wire.results(after.messages)}
    facts = {"call": _calls(before), "turns": len(after.messages), "before": before.turn}
    if after.request.repeats is not None:
        return _repeated(seen, after, facts)
    if not asked <= calls:
        finding = "no_assistant" if asked & results else "neither"
        return broken(f"history.{finding}", after.turn, **facts, **_result_of(before))
    # Whose id a result names is another family's matter; here it has to be there, in the user's role.
    grown = len(list(wire.results(after.messages))) > len(list(wire.results(before.messages)))
    if not grown and not asked & results:
        return broken("history.no_results", after.turn, **facts, **_result_of(before))
    return _results_once(after, facts) or _in_order(seen, before, after, facts)


def _repeated(seen: list[Exchange], after: Exchange, facts: dict[str, object]) -> Verdict:
    first = after.request.repeats
    last = max(one.turn for one in seen if one.request.digest == after.request.digest)
    return broken("history.repeated", after.turn, **facts, first=first, last=last, times=last)


def _results_once(after: Exchange, facts: dict[str, object]) -> Verdict | None:
    """Find a result that stands twice: a list that collects them over all rounds, and is sent each time."""
    known: set[object] = set()
    for block in wire.results(after.messages):
        given = block.get("tool_use_id")
        if given and given in known and len(list(wire.calls(after.messages))) > 1:
            return broken("history.again", after.turn, **facts, id=given)
        known.add(given)
    return None


def _in_order(seen: list[Exchange], before: Exchange, after: Exchange, facts: dict[str, object]) -> Verdict:
    """Judge the place of the new turns, once both are there."""
    was = wire.conversation({"messages": before.messages})["messages"]
    now = wire.conversation({"messages": after.messages})["messages"]
    answer = wire.conversation({"messages": [{"role": "assistant", "content": before.content}]})["messages"]
    if now[: len(was)] != was:
        return broken("history.order" if _still_there(was, now) else "history.lost", after.turn, **facts)
    if len(now) <= len(was) or now[len(was)]["role"] != "assistant":
        return broken("history.order", after.turn, **facts)
    if now[len(was)] != answer[0]:
        return broken("history.altered", after.turn, **facts, text=clip(before.text, 60))
    return _results_of_this_round(seen, before, after, facts)


def _results_of_this_round(
    seen: list[Exchange], before: Exchange, after: Exchange, facts: dict[str, object]
) -> Verdict:
    """Judge what the new results say; that they are there is known."""
    for block in list(wire.results(after.messages))[len(list(wire.results(before.messages))) :]:
        given, sent = block.get("tool_use_id"), clip(result_text(block.get("content")), 50)
        if never_ran(given, seen, before):
            return broken("history.not_run", after.turn, **facts, sent=sent)
        ran = next((one for one in before.ran if one.id == given), None)
        if ran is not None and hollow(block.get("content"), ran):
            said = clip(result_text(ran.content), 50)
            return broken("history.hollow", after.turn, **facts, sent=sent, result=said)
    return holds()


def _still_there(was: list[wire.Turn], now: list[wire.Turn]) -> bool:
    """True when everything said before is still there, only elsewhere or run together with new blocks."""
    old = [block for turn in was for block in turn["content"]]
    new = [block for turn in now for block in turn["content"]]
    return all(block in new for block in old)


def _calls(exchange: Exchange) -> str:
    return ", ".join(call_form(block.get("name"), block.get("input")) for block in exchange.asked)


def _result_of(exchange: Exchange) -> dict[str, object]:
    text = result_text(exchange.ran[-1].content) if exchange.ran else ""
    return {"result": clip(text, 50)}


def carries_all(trace: Trace) -> Verdict:
    """Judge :func:`carries_on` as far as no other probe of the gate does (rule 1)."""
    found = carries_on(trace)
    before = next((one for one in exchanges(trace) if one.turn == found.facts.get("before")), None)
    match found.finding:
        case "history.order" | "history.altered" | "history.hollow":
            return unknown()  # ``order``, and ``results_arrive_whole``
        case "history.no_results" if any(misplaced(one) for one in exchanges(trace)):
            return unknown()  # ``order``
        case "history.not_run" if before and len(before.asked) > 1:
            return unknown()  # ``parallel``
        case "history.again" if before and found.facts["id"] in {call.get("id") for call in before.asked}:
            return unknown()  # ``pairing``
    return found


def results_arrive_whole(trace: Trace) -> Verdict:
    """Of a result of ordinary length nothing is lost on its way to the model.

    Findings: ``hollow`` (it holds nothing of what the tool said), ``shortened`` (a part is missing).
    """
    judged = False
    for one in rounds(trace):
        for call in one.before.asked:
            ran, block = one.ran(call), one.result(call)
            if one.after is None or ran is None or not ran.ended or ran.is_error or block is None:
                continue
            said, sent = result_text(ran.content), sent_text(block)
            if not isinstance(ran.content, str | list) or not said or len(said) > SHORT:
                continue
            judged = True
            missing = _missing(said, sent)
            facts = {"before": one.before.turn, "call": form(call), "sent": ends(sent, 80)}
            if missing:
                finding = "hollow" if hollow(block.get("content"), ran) else "shortened"
                lost = ", ".join(missing[:3])
                return broken(
                    f"history.{finding}", one.after.turn, **facts, result=ends(said, 80), missing=lost
                )
    return holds() if judged else unknown()


def _missing(said: str, sent: str) -> list[str]:
    """Return the words of *said* that *sent* does not hold. ASCII only: JSON may spell the others anew."""
    there = sent.casefold()
    words = dict.fromkeys(re.findall(r"[A-Za-z0-9_]{3,}", said))
    return [word for word in words if word.casefold() not in there]


def empty_results_are_results(trace: Trace) -> Verdict:
    """``""``, ``None``, ``[]``, ``{}``, ``0``: the call is answered all the same, the model asked again.

    Findings: ``empty_ended`` (the loop came back instead), ``empty_left_out`` (no result for the call),
    ``empty_unlawful`` (content that is neither text nor blocks), ``zero_lost`` (a figure became nothing).
    """
    judged = False
    for one in rounds(trace):
        for call in one.before.asked:
            ran = one.ran(call)
            if ran is None or not ran.ended or ran.is_error or ran.content:
                continue
            judged = True
            found = _of_nothing(trace, one, call, ran.content)
            if found is not None:
                return found
    return holds() if judged else unknown()


def _of_nothing(trace: Trace, one: Round, call: wire.Block, value: object) -> Verdict | None:
    facts = {"before": one.before.turn, "call": form(call), "value": repr(value)}
    if one.after is None:
        came_back = trace.exit.reason == "returned"
        return broken("history.empty_ended", one.before.turn, **facts) if came_back else unknown()
    block = one.result(call)
    if one.muddled:
        return unknown()
    if block is None:
        return broken("history.empty_left_out", one.after.turn, **facts)
    content = block.get("content")
    if not isinstance(content, str | list | None):
        return broken("history.empty_unlawful", one.after.turn, **facts, kind=type(content).__name__)
    if type(value) is int and "0" not in sent_text(block) and not flagged(block):
        return broken("history.zero_lost", one.after.turn, **facts, sent=clip(sent_text(block), 50))
    return None


PROBES: tuple[Probe, ...] = (
    probe(
        carries_on,
        "a",
        *(
            Case(name, judgement=carries_all)
            for name in ("count_python_files", "list_then_read", "todo_list")
        ),
        criteria=(4,),
        katas=("02",),
    ),
    probe(results_arrive_whole, "a", "list_then_read", "two_part_minutes", katas=("02",)),
    probe(empty_results_are_results, "a", "lost_property", criteria=(6,), katas=("02", "09")),
)
