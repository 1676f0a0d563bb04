"""Family b: each ``tool_result`` names the call it answers, by the id that the model gave that call.

Rule of this file: ``names_its_call`` and ``belongs_to_its_call`` are the whole matter, as a kata asks it. In
the gate, what other probes judge (``history``, ``parallel``) is left to them: one fault is one finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gate.judgements.reading import (
    Exchange,
    Ran,
    call_form,
    clip,
    exchanges,
    hollow,
    never_ran,
    result_text,
    steps_from,
)
from simulator.gate.judgements.rounds import Round, rounds, sent_text
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


def names_its_call(trace: Trace) -> Verdict:
    """Every result sent after a call carries the id of one call of that answer, each call exactly once.

    Findings: ``missing`` (no id at all), ``unknown`` (an id that no call has), ``twice``, ``unanswered``,
    ``absent`` (no result block was sent).
    """
    for before, after in steps_from(trace):
        if before.asked:
            found = _named(before, after)
            if found.outcome != "pass":
                return found
    return _reached_a_second_request(trace)


def belongs_to_its_call(trace: Trace) -> Verdict:
    """The content under an id is what the tool said for that call, and nothing of another.

    Findings: ``crossed``, ``hollow`` (it holds nothing of what the tool said), ``not_run`` (no tool ran).
    """
    seen = exchanges(trace)
    for before, after in steps_from(trace):
        for block in _new_results(before, after):
            other = _owner_of_content(before, block)
            if other:
                return _crossed(before, after, block, other)
            ran = next((one for one in before.ran if one.id == block.get("tool_use_id")), None)
            if never_ran(block.get("tool_use_id"), seen, before):
                return _not_run(before, after, block)
            if ran and hollow(block.get("content"), ran):
                return _hollow(before, after, block, ran)
    return _reached_a_second_request(trace)


def _named(before: Exchange, after: Exchange) -> Verdict:
    asked = [str(block.get("id")) for block in before.asked]
    facts = {"before": before.turn, "asked": ", ".join(asked), "call": _form(before.asked[0])}
    sent = _new_results(before, after)
    given = [block.get("tool_use_id") for block in sent]
    if not sent:
        return broken("pairing.absent", after.turn, **facts)
    for place, one in enumerate(given):
        if not one:
            return broken("pairing.missing", after.turn, **facts, keys=", ".join(sent[place]), place=place)
        if one not in asked:
            return broken("pairing.unknown", after.turn, **facts, used=clip(str(one), 40), place=place)
        if one in given[:place]:
            return broken("pairing.twice", after.turn, **facts, used=one, count=given.count(one))
    left = [one for one in asked if one not in given]
    if left:
        count = len(asked) - len(left)
        return broken(
            "pairing.unanswered", after.turn, **facts, left=", ".join(left), sent=count, of=len(asked)
        )
    return holds()


def _new_results(before: Exchange, after: Exchange) -> list[wire.Block]:
    """Return the result blocks that *after* sends and *before* did not."""
    known = len(list(wire.results(before.messages)))
    return list(wire.results(after.messages))[known:]


def _owner_of_content(before: Exchange, block: wire.Block) -> Ran | None:
    """Return the call whose output stands in *block*, when that is plainly not the call the block names."""
    sent = result_text(block.get("content")).strip()
    named = next((call for call in before.asked if call.get("id") == block.get("tool_use_id")), None)
    if named is None or not sent:
        return None
    own = [one for one in before.ran if (one.name, one.input) == (named.get("name"), named.get("input"))]
    others = [one for one in before.ran if one not in own]
    for said in (_said(one) for one in own):
        # What is left is another's, even beside the call's own: all results under each id answer nothing.
        sent = sent.replace(said, " ").replace(wire.canonical_json(said)[1:-1], " ") if said else sent
    return next((one for one in others if _says(sent, one)), None)


def _says(sent: str, ran: Ran) -> bool:
    said = _said(ran)
    return bool(said) and (said in sent or wire.canonical_json(said)[1:-1] in sent)


def _said(ran: Ran) -> str:
    return result_text(ran.content).strip()


def _crossed(before: Exchange, after: Exchange, block: wire.Block, other: Ran) -> Verdict:
    named = next(call for call in before.asked if call.get("id") == block.get("tool_use_id"))
    return broken(
        "pairing.crossed",
        after.turn,
        before=before.turn,
        id=block.get("tool_use_id"),
        call=_form(named),
        other=call_form(other.name, other.input),
        content=clip(result_text(block.get("content")), 50),
    )


def _not_run(before: Exchange, after: Exchange, block: wire.Block) -> Verdict:
    named = next(call for call in before.asked if call.get("id") == block.get("tool_use_id"))
    sent = clip(result_text(block.get("content")), 50)
    return broken("pairing.not_run", after.turn, before=before.turn, call=_form(named), sent=sent)


def _hollow(before: Exchange, after: Exchange, block: wire.Block, ran: Ran) -> Verdict:
    return broken(
        "pairing.hollow",
        after.turn,
        before=before.turn,
        call=call_form(ran.name, ran.input),
        sent=clip(result_text(block.get("content")), 50),
        result=clip(_said(ran), 50),
    )


def _reached_a_second_request(trace: Trace) -> Verdict:
    return holds() if len(exchanges(trace)) > 1 else unknown()


def _form(block: wire.Block) -> str:
    return call_form(block.get("name"), block.get("input"))


def names_only(trace: Trace) -> Verdict:
    """Judge :func:`names_its_call` as far as no other probe of the gate does."""
    found = names_its_call(trace)
    if found.finding == "pairing.absent":
        return unknown()
    if found.finding == "pairing.unanswered":
        # A call that was never run is another's matter: there was no result to send.
        return unknown() if any(not _all_ran(one) for one in rounds(trace)) else found
    return unknown() if found.finding == "pairing.unknown" and _of_an_earlier_call(trace, found) else found


def belongs_only(trace: Trace) -> Verdict:
    """Judge :func:`belongs_to_its_call` as far as no other probe of the gate does."""
    if names_its_call(trace).outcome == "fail":
        return unknown()  # Under names that are no names, nothing belongs to anything.
    found = belongs_to_its_call(trace)
    return unknown() if found.finding in ("pairing.hollow", "pairing.not_run") else found


def _all_ran(one: Round) -> bool:
    return all(one.ran(call) is not None for call in one.before.asked)


def _of_an_earlier_call(trace: Trace, found: Verdict) -> bool:
    earlier = [one.before for one in rounds(trace) if one.before.turn < (found.turn or 0) - 1]
    return found.facts.get("used") in {clip(str(call.get("id")), 40) for one in earlier for call in one.asked}


def equal_calls_are_two(trace: Trace) -> Verdict:
    """Two calls that differ in nothing but their ids get two results.

    Findings: ``one_for_two`` (one of them is not answered), ``copied`` (what came of one stands under both).
    """
    judged = False
    for one in rounds(trace):
        for like in _equal_calls(one):
            if one.after is None or one.muddled:
                continue
            judged = True
            ids = [str(call.get("id")) for call in like]
            facts = {"before": one.before.turn, "call": _form(like[0]), "times": len(like)}
            left = [str(call.get("id")) for call in like if one.result(call) is None]
            if left and len(left) < len(like):
                return broken("pairing.one_for_two", one.after.turn, **facts, left=", ".join(left))
            ran = [ran for ran in one.before.ran if ran.id in ids and ran.ended]
            texts = [sent_text(one.result(call)) for call in like]
            for each in dict.fromkeys(_said(ran) for ran in ran):
                if each and sum(each in text for text in texts) > sum(_said(one) == each for one in ran):
                    return broken(
                        "pairing.copied", one.after.turn, **facts, ran=len(ran), content=clip(each, 50)
                    )
    return holds() if judged else unknown()


def _equal_calls(one: Round) -> list[list[wire.Block]]:
    groups: dict[str, list[wire.Block]] = {}
    for call in one.before.asked:
        key = wire.canonical_json([call.get("name"), call.get("input")])
        groups.setdefault(key, []).append(call)
    return [group for group in groups.values() if len(group) > 1]


PROBES: tuple[Probe, ...] = (
    probe(
        names_its_call,
        "b",
        *(Case(name, judgement=names_only) for name in ("count_python_files", "cold_rooms", "todo_list")),
        criteria=(4,),
        katas=("03",),
    ),
    probe(
        belongs_to_its_call,
        "b",
        *(Case(name, judgement=belongs_only) for name in ("cold_rooms", "todo_list")),
        criteria=(4,),
        katas=("03",),
    ),
    probe(equal_calls_are_two, "b", "two_tickets", criteria=(3, 4), katas=("03", "05")),
)
