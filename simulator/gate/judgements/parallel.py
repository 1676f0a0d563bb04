"""Family d: several calls in one answer are several calls: all run, all answered at once.

Rules of this file:

1. Whether calls run one after another or side by side, and in which order results stand, is the loop's own.
2. The API joins neighbouring user turns; other servers of this API, and its own documentation, do not. So the
   results of one answer belong into one message (``answers_in_one_turn``).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.alarm import SAYS_FAILED, heard
from simulator.gate.judgements.reading import Exchange, clip, exchanges, hollow, result_text
from simulator.gate.judgements.rounds import Round, flagged, form, offered, rounds, sent_text
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


def runs_every_call(trace: Trace) -> Verdict:
    """Each call of an answer with several is run before the next request, and not more often than asked for.

    Findings: ``lost``, ``ran_again``.
    """
    judged = False
    for one in _several(trace):
        if one.after is None:
            continue
        judged = True
        known = [call for call in one.before.asked if call.get("name") in offered(trace)]
        left = [call for call in known if one.ran(call) is None]
        facts = {"before": one.before.turn, "of": len(known), "count": len(known) - len(left)}
        if left:
            return broken("parallel.lost", one.after.turn, **facts, call=form(left[0]))
        again = _more_than_asked(one.before)
        if again is not None:
            return broken("parallel.ran_again", one.after.turn, **facts, call=form(again[0]), times=again[1])
    return holds() if judged else unknown()


def answers_in_one_turn(trace: Trace) -> Verdict:
    """The results of one answer stand in one user message. Finding: ``split``."""
    judged = False
    for one in _several(trace):
        if one.after is None or any(one.result(call) is None for call in one.before.asked):
            continue
        ids = {call.get("id") for call in one.before.asked}
        if len(_turns_with(one.after, ids)) > 1:
            continue  # Where the calls themselves were divided, so are their results.
        judged = True
        holding = [
            place
            for place, message in enumerate(one.after.messages)
            if any(block.get("tool_use_id") in ids for block in wire.results([message]))
        ]
        if len(holding) > 1:
            facts = {"before": one.before.turn, "of": len(ids), "messages": len(holding)}
            return broken("parallel.split", one.after.turn, **facts, places=", ".join(map(str, holding)))
    return holds() if judged else unknown()


def keeps_the_answer_whole(trace: Trace) -> Verdict:
    """The calls of one answer go back in one assistant turn, each once.

    Findings: ``divided``, ``doubled``.
    """
    judged = False
    for one in _several(trace):
        if one.after is None:
            continue
        ids = [call.get("id") for call in one.before.asked]
        turns = _turns_with(one.after, set(ids))
        judged = judged or bool(turns)
        times = Counter(given for found in turns for given in found)
        twice = next((given for given in ids if times[given] > 1), None)
        facts = {"before": one.before.turn, "of": len(ids)}
        if twice is not None:
            return broken("parallel.doubled", one.after.turn, **facts, id=twice, times=times[twice])
        if len(turns) > 1:
            return broken("parallel.divided", one.after.turn, **facts, turns=len(turns))
    return holds() if judged else unknown()


def one_failure_stays_alone(trace: Trace) -> Verdict:
    """A call that fails does not take the results of its neighbours with it.

    Findings: ``sibling_not_run``, ``sibling_unanswered``, ``sibling_lost`` (it came back well, and is told as
    a failure or as nothing), ``failure_unanswered``. A loop that hands the failure to its caller is not
    judged.
    """
    for one in _several(trace):
        failed = next((call for call in one.before.asked if _failed(one, call)), None)
        if failed is None or one.muddled:
            continue
        if one.after is None:
            # Not a silent end: that is told by another probe, and here there is no turn to look at.
            ended = heard(trace, exchanges(trace), SAYS_FAILED)
            return not_applicable("parallel.propagates") if ended else unknown()
        return _neighbours(one, one.after, failed)
    return unknown()


def _neighbours(one: Round, after: Exchange, failed: wire.Block) -> Verdict:
    facts = {"before": one.before.turn, "failed": form(failed)}
    for call in one.before.asked:
        ran, block = one.ran(call), one.result(call)
        about = {**facts, "call": form(call), "sent": clip(sent_text(block), 50)}
        if call is failed or _failed(one, call):
            if block is None:
                return broken("parallel.failure_unanswered", after.turn, **facts)
        elif ran is None:
            return broken("parallel.sibling_not_run", after.turn, **about)
        elif block is None:
            said = clip(result_text(ran.content), 50)
            return broken("parallel.sibling_unanswered", after.turn, **about, result=said)
        elif flagged(block) or hollow(block.get("content"), ran):
            said = clip(result_text(ran.content), 50)
            return broken("parallel.sibling_lost", after.turn, **about, result=said)
    return holds()


def _several(trace: Trace) -> list[Round]:
    return [one for one in rounds(trace) if len(one.before.asked) > 1]


def _turns_with(after: Exchange, ids: set[Any]) -> list[list[Any]]:
    """Return the ids of calls in each turn of the model's that holds one of *ids*."""
    turns = [[block.get("id") for block in wire.calls([turn])] for turn in wire.merge(after.messages)]
    return [found for found in turns if ids & set(found)]


def _failed(one: Round, call: wire.Block) -> bool:
    ran = one.ran(call)
    return ran is not None and ran.is_error


def _more_than_asked(before: Exchange) -> tuple[wire.Block, int] | None:
    """Return a call whose handler came back well and was run again all the same, and how often it ran."""
    for call in before.asked:
        key = (call.get("name"), wire.canonical_json(call.get("input")))
        like = [ran for ran in before.ran if (ran.name, wire.canonical_json(ran.input)) == key]
        asked = [
            one for one in before.asked if (one.get("name"), wire.canonical_json(one.get("input"))) == key
        ]
        if len([ran for ran in like if ran.ended and not ran.is_error]) > len(asked):
            return call, len(like)
    return None


PROBES: tuple[Probe, ...] = (
    probe(runs_every_call, "d", "cold_rooms", "todo_list", criteria=(3,), katas=("05",)),
    probe(answers_in_one_turn, "d", "cold_rooms", "todo_list", criteria=(3, 4), katas=("05",)),
    probe(keeps_the_answer_whole, "d", "cold_rooms", "todo_list", criteria=(3,), katas=("05",)),
    probe(one_failure_stays_alone, "d", "silent_station", criteria=(3, 6), katas=("05", "09")),
)
