"""Family e: roles and order. The model's turn goes back as it came; its results follow, first in a user turn.

Rules of this file:

1. Turns are counted as the API counts them: neighbours of one role are one turn.
2. Of the model's turn, text and calls are compared here. Texts side by side may be joined, and empty ones
   left out; thinking and the blocks of server tools are other families' matter.
3. ``never_refused`` is for what no other family names: ids, empty texts and the like are told where they
   belong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.gate.judgements.reading import Exchange, clip, exchanges
from simulator.gate.judgements.rounds import blank, form, misplaced, rounds
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire
from simulator.wire.rules import check_request

if TYPE_CHECKING:
    from simulator.trace.document import Trace

NAMED_ELSEWHERE = (
    "pairing.result_",
    "tool_result.tool_use_id",
    "tool_result.empty_error",
    "text.",
    "turn.empty_user",
    "thinking.",
    "model.prefill",
    "tool_choice.",
    "max_tokens.",
)
"""Beginnings of the API rules whose breach another probe tells."""


class Piece(NamedTuple):
    """A text (without its white space) or a call of a turn, and how it is shown."""

    kind: str
    value: str
    shown: str


def results_come_first(trace: Trace) -> Verdict:
    """Results stand in the user's role, before any text of that turn.

    Findings: ``text_first``, ``wrong_role``.
    """
    judged = False
    for one in rounds(trace):
        if one.after is None:
            continue
        facts = {"before": one.before.turn, "call": form(one.before.asked[0])}
        role = misplaced(one.after)
        if role is not None:
            return broken("order.wrong_role", one.after.turn, **facts, role=role)
        ids = {call.get("id") for call in one.before.asked}
        turns = wire.merge(one.after.messages)
        asked = _place(turns, "tool_use", "id", one.before.asked[0].get("id"))
        # Results in front of their call are told by ``calls_come_before_results``.
        for turn in turns[asked:] if asked is not None else ():
            places = [n for n, block in enumerate(turn["content"]) if _answers(block, ids)]
            if not places:
                continue
            judged = True
            between = [block for block in turn["content"][: places[-1]] if not _is_result(block)]
            if between:
                return broken("order.text_first", one.after.turn, **facts, text=_shown(between[0]))
    return holds() if judged else unknown()


def calls_come_before_results(trace: Trace) -> Verdict:
    """The model's turn stands before what came of it. Finding: ``result_first``."""
    judged = False
    for one in rounds(trace):
        if one.after is None:
            continue
        turns = wire.merge(one.after.messages)
        for call in one.before.asked:
            asked = _place(turns, "tool_use", "id", call.get("id"))
            answered = _place(turns, "tool_result", "tool_use_id", call.get("id"))
            if asked is None or answered is None or turns[answered]["role"] != "user":
                continue
            judged = True
            if answered < asked:
                facts = {"before": one.before.turn, "call": form(call)}
                return broken(
                    "order.result_first", one.after.turn, **facts, result_at=answered, call_at=asked
                )
    return holds() if judged else unknown()


def echoes_the_answer(trace: Trace) -> Verdict:
    """The model's turn goes back as it came: each text, each call, in their order.

    Findings: ``dropped`` (a text is gone), ``rearranged``, ``rewritten`` (a text or an input is another).
    """
    judged = False
    for one in rounds(trace):
        if one.after is None:
            continue
        turn = _turn_of(one.after, one.before)
        if turn is None:
            continue
        judged = True
        came, sent = _pieces(one.before.content), _pieces(turn)
        if [piece.value for piece in sent[-len(came) :]] == [piece.value for piece in came]:
            continue
        facts = {"before": one.before.turn, "came": _told(came), "sent": _told(sent)}
        return broken(f"order.{_how(came, sent)}", one.after.turn, **facts)
    return holds() if judged else unknown()


def never_refused(trace: Trace) -> Verdict:
    """No request of an ordinary run breaks a rule of the API. Finding: ``refused``.

    The rules are asked anew, since a recording answers what is the same conversation, a key too many or not.
    """
    seen = exchanges(trace)
    for one in seen:
        stated = {
            "system": trace.system,
            "tools": trace.tools,
            "messages": one.messages,
            **one.request.parameters,
        }
        if stated["tools"]:
            stated["tools"] = trace.tools  # Their names, where others are on offer than at first.
        error = check_request({name: value for name, value in stated.items() if value})
        if error is None:
            continue
        if error.rule.startswith(NAMED_ELSEWHERE):
            return unknown()
        facts = {"status": error.status, "message": clip(error.message, 120), "path": error.path or "-"}
        return broken("order.refused", one.turn, **facts)
    return holds() if len(seen) > 1 else unknown()


def _answers(block: object, ids: set[Any]) -> bool:
    return _is_result(block) and isinstance(block, dict) and block.get("tool_use_id") in ids


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _place(turns: list[wire.Turn], kind: str, key: str, value: object) -> int | None:
    """Return the first turn that holds a block of this *kind* with *value* under *key*."""
    places = (n for n, turn in enumerate(turns) if any(_has(turn, kind, key, value)))
    return next(places, None)


def _has(turn: wire.Turn, kind: str, key: str, value: object) -> list[bool]:
    return [block.get(key) == value for block in wire.of_type(turn["content"], kind)]


def _turn_of(after: Exchange, before: Exchange) -> list[Any] | None:
    """Return the content of the turn in which the calls of *before* went back; None where that is not one."""
    ids = [call.get("id") for call in before.asked]
    for turn in wire.merge(after.messages):
        found = [block.get("id") for block in wire.of_type(turn["content"], "tool_use")]
        if turn["role"] == "assistant" and set(ids) <= set(found):
            # Twice the same calls in one turn: that is refused, and told by that.
            return list(turn["content"]) if len(found) == len(set(found)) else None
    return None


def _pieces(content: object) -> list[Piece]:
    """Return texts and calls in their order, texts side by side as one (rule 2)."""
    found: list[Piece] = []
    for block in wire.of_type(content, "text", "tool_use"):
        if block["type"] == "tool_use":
            value = wire.canonical_json([block.get("id"), block.get("name"), block.get("input")])
            found.append(Piece("call", value, form(block)))
        elif not blank(block):
            text = str(block.get("text"))
            piece = Piece("text", "".join(text.split()), f'"{clip(text.strip(), 30)}"')
            if found and found[-1].kind == "text":
                before = found.pop()
                piece = Piece("text", before.value + piece.value, before.shown)
            found.append(piece)
    return found


def _how(came: list[Piece], sent: list[Piece]) -> str:
    if sorted(piece.value for piece in came) == sorted(piece.value for piece in sent):
        return "rearranged"
    values = [piece.value for piece in came]
    return "dropped" if all(piece.value in values for piece in sent) else "rewritten"


def _told(pieces: list[Piece]) -> str:
    return ", ".join(piece.shown for piece in pieces)


def _shown(block: object) -> str:
    text = wire.text_of([block]) if isinstance(block, dict) else str(block)
    return clip(text or str(block), 60)


PROBES: tuple[Probe, ...] = (
    probe(results_come_first, "e", "list_then_read", "todo_list", criteria=(4,), katas=("06",)),
    probe(calls_come_before_results, "e", "list_then_read", "todo_list", criteria=(4,), katas=("06",)),
    probe(echoes_the_answer, "e", "list_then_read", "todo_list", katas=("02", "06")),
    probe(never_refused, "e", "list_then_read", "cold_rooms", "todo_list", katas=("06",)),
)
