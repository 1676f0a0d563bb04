"""Family a: what happened must be in the next request, because the API keeps no memory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


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
