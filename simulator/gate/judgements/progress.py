"""Family f: a model that goes in a circle is stopped, by name, and one that gets somewhere is left alone.

Rules of this file:

1. A call is its tool's name and its input, in whatever order the keys come. It is repeated when it was made
   before and brought the same.
2. A loop may be patient. More than :data:`MOST` requests for nothing new is no patience any more, whatever
   ends the run after that: the loop's limit of steps is for work, and would have paid for all of it.
3. Where the loop's own limit ends the run before that, there is nothing to judge.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.named import LIMIT, crashed, named
from simulator.gate.judgements.reading import FINAL, Exchange, call_form, exchanges, result_text
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

MOST = 10
"""Requests that a loop may send while nothing new happens."""

REPEATS = re.compile(
    r"repeat|repetit|no[ _-]?progress|stuck|stall|identical|duplicat|(?:in|going|goes) (?:a )?(?:circle|loop)"
    r"|loop[ _-]?detect|(?:doom|infinite|endless)[ _-]?loop|looping|circular|cycl"
    r"|same[ _-]?(?:tool )?(?:call|action|step|request|thing|result)|already (?:made|called|tried|done|seen)"
    r"|atasc|repeti|repite|sin (?:progreso|avance|avanzar)|id[eé]ntic|c[ií]rculo"
    r"|mism[ao] (?:llamada|resultado)",
    re.IGNORECASE,
)
"""Words that name a run that gets nowhere, in English and Spanish; ``NoProgress`` is one, too."""


def stops_repetition(trace: Trace) -> Verdict:
    """The same call with the same result, again and again, ends the run by name.

    Findings: ``went_on`` (more than ten requests), ``unsaid`` (it ended, and nobody learns why).
    """
    return _stopped(trace)


def stops_alternation(trace: Trace) -> Verdict:
    """Two calls in turn, A, B, A, B, that bring the same each time end the run by name.

    Findings: ``went_on``, ``unsaid``.
    """
    return _stopped(trace)


def tells_the_model(trace: Trace) -> Verdict:
    """Before a repeated call ends the run, the model learns that it repeats itself. Finding: ``untold``.

    In whatever way: in the result, beside it, instead of it, in the system prompt. A loop that ends at the
    second call of its kind owes the model nothing.
    """
    seen = exchanges(trace)
    again = _second_time(seen)
    if again is None:
        return unknown()
    call, first, second = again
    answers = [_answer_to(call, one, seen) for one in (first, second)]
    if answers[1] is None:
        return unknown() if crashed(trace) else holds()
    for later in _later_rounds(call, second, seen):
        if _remarked(call, first, later, seen):
            return holds()
    if _is_patient(seen) and not _ended_itself(trace):
        return unknown()
    facts = {"call": _form(call), "times": _times(seen)[_key(call)], "result": result_text(answers[1])[:60]}
    return broken("progress.untold", second.turn + 1, **facts)


def lets_progress_alone(trace: Trace) -> Verdict:
    """A run that gets somewhere is not stopped: a poll, page after page, a test after each change.

    Findings: ``false_alarm`` (ended as repetition), ``withheld`` (a call was answered without being run).
    """
    seen = exchanges(trace)
    for one in seen:
        for call in one.asked:
            if one is not seen[-1] and not _ran(call, one):
                times = sum(_key(block) == _key(call) for each in seen for block in each.asked)
                return broken("progress.withheld", one.turn, call=_form(call), times=times)
    if seen and seen[-1].signal in FINAL:
        return holds()
    if not crashed(trace) and seen and named(trace, seen, REPEATS):
        call = seen[-1].asked[0] if seen[-1].asked else {}
        facts = {"call": _form(call), "times": _times(seen)[_key(call)], "value": outcome(trace)}
        return broken("progress.false_alarm", seen[-1].turn, **facts)
    limited = not crashed(trace) and named(trace, seen, LIMIT)
    return not_applicable("progress.limit_first") if limited else unknown()


def begins_anew(trace: Trace) -> Verdict:
    """What an earlier run repeated is not held against this one. Finding: ``old_news``."""
    seen = exchanges(trace)
    if not seen or seen[-1].signal in FINAL or crashed(trace):
        return holds() if seen and seen[-1].signal in FINAL else unknown()
    if named(trace, seen, REPEATS):
        call = seen[-1].asked[0] if seen[-1].asked else {}
        facts = {"call": _form(call), "times": _times(seen)[_key(call)], "value": outcome(trace)}
        return broken("progress.old_news", seen[-1].turn, **facts)
    return not_applicable("progress.limit_first") if named(trace, seen, LIMIT) else unknown()


def _stopped(trace: Trace) -> Verdict:
    seen = exchanges(trace)
    times = _times(seen)
    if not times:
        return unknown()
    most = max(times, key=lambda key: times[key])
    call = next(block for one in seen for block in one.asked if _key(block) == most)
    facts = {"call": _form(call), "times": times[most], "requests": len(seen)}
    if not _is_patient(seen):
        return broken("progress.went_on", MOST + 1, **facts)
    if crashed(trace) or seen[-1].signal in FINAL:
        return unknown()
    if named(trace, seen, REPEATS):
        return holds()
    if named(trace, seen, LIMIT):
        return not_applicable("progress.limit_first")
    if seen[-1].response is None or seen[-1].response.error:
        return unknown()
    return broken("progress.unsaid", seen[-1].turn, **facts, value=outcome(trace))


def _is_patient(seen: list[Exchange]) -> bool:
    return len(seen) <= MOST


def _ended_itself(trace: Trace) -> bool:
    return trace.exit.reason in ("returned", "raised")


def _times(seen: list[Exchange]) -> Counter[str]:
    return Counter(_key(block) for one in seen for block in one.asked)


def _key(call: wire.Block) -> str:
    return wire.sha256([call.get("name"), call.get("input")])


def _form(call: wire.Block) -> str:
    return call_form(call.get("name"), call.get("input"))


def _ran(call: wire.Block, one: Exchange) -> bool:
    like = (call.get("name"), call.get("input"))
    return any(ran.id == call.get("id") or (ran.name, ran.input) == like for ran in one.ran)


def _second_time(seen: list[Exchange]) -> tuple[wire.Block, Exchange, Exchange] | None:
    """Return a call with the exchanges in which it was asked for first and second, or None."""
    first: dict[str, Exchange] = {}
    for one in seen:
        for call in one.asked:
            if _key(call) in first:
                return call, first[_key(call)], one
            first[_key(call)] = one
    return None


def _answer_to(call: wire.Block, one: Exchange, seen: list[Exchange]) -> Any:
    """Return what was sent as the result of *call*'s like in *one*; None where no request followed."""
    after = next((each for each in seen if each.turn > one.turn), None)
    if after is None:
        return None
    ids = {block.get("id") for block in one.asked if _key(block) == _key(call)}
    found = [block for block in wire.results(after.messages) if block.get("tool_use_id") in ids]
    return found[0].get("content") if found else ""


def _later_rounds(call: wire.Block, second: Exchange, seen: list[Exchange]) -> list[Exchange]:
    """Return the exchanges from *second* on that ask for *call* and were followed by a request."""
    like = [one for one in seen if one.turn >= second.turn and any(_key(b) == _key(call) for b in one.asked)]
    return [one for one in like if one is not seen[-1]]


def _remarked(call: wire.Block, first: Exchange, later: Exchange, seen: list[Exchange]) -> bool:
    """True when the request after *later* says more, or something else, than the one after *first* did."""
    if result_text(_answer_to(call, later, seen)) != result_text(_answer_to(call, first, seen)):
        return True
    after = next(one for one in seen if one.turn > later.turn)
    words = [wire.text_of(wire.blocks(turn.get("content"))) for turn in _new(later, after)]
    return any(word.strip() for word in words) or "system" in after.request.parameters


def _new(before: Exchange, after: Exchange) -> list[dict[str, Any]]:
    """Return the user turns that *after* has and *before* had not."""
    return [turn for turn in after.messages[len(before.messages) :] if turn.get("role") == "user"]


ROOM = {"steps?": 25}
"""So much that no limit of steps ends the run before the loop has noticed."""

PROBES: tuple[Probe, ...] = (
    probe(stops_repetition, "f", Case("same_search_again", ROOM), katas=("11",)),
    probe(stops_alternation, "f", Case("back_and_forth", ROOM), katas=("11",)),
    probe(tells_the_model, "f", Case("same_search_again", ROOM), katas=("11",)),
    probe(
        lets_progress_alone,
        "f",
        Case("kiln_warms_up", ROOM),
        Case("page_after_page", ROOM),
        Case("tested_changed_tested", ROOM),
        Case("letters_in_the_cellar", ROOM),
        katas=("11",),
    ),
    probe(begins_anew, "f", Case("asked_once_more", ROOM)),
)
