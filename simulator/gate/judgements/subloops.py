"""Family l: a loop run by a loop, with a context of its own and within one budget.

Rules of this file:

1. A delegation is a call of a tool that the option ``subloops`` names. What is sent between that answer and
   the request that holds the call again are the requests of the loop below.
2. How a sub-loop is run, and in which form it reports, is free: prose, JSON, an ``is_error``, an exception.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements import views
from simulator.gate.judgements.alarm import SLIPS
from simulator.gate.judgements.ending import squeeze
from simulator.gate.judgements.reading import FINAL, Exchange, clip, exchanges, result_text
from simulator.gate.judgements.telling import mentions
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

DEEPEST = 8
"""How many loops may stand one inside the other before nobody can call that bounded."""

SAYS_UNFINISHED = re.compile(
    r"budget|limit|exceed|incomplete|unfinished|(?:not|n't|un|never) ?(?:be )?(?:finish|complet|done)"
    r"|could.?n[o']t|partial|stopp|ran.?out|max.?(?:iter|turn|step)|iterations?\b|gave.?up|early|error|fail|refus|reject|abort"
    r"|cut.?off|truncat|unable|l[ií]mite|presupuesto|agot|incomplet|(?:no|sin) (?:pudo|termin|acab)|parcial"
    r"|rechaz|fall[oó]|interrump",
    re.IGNORECASE,
)
"""Words by which a model learns that a task was not carried to its end."""


@dataclass(slots=True)
class Delegation:
    """One call that is a task for a loop below: who asked, what that loop sent, who got the result."""

    call: wire.Block
    opening: Exchange
    """The first exchange of the run."""
    asked: Exchange
    below: list[Exchange] = field(default_factory=list)
    after: Exchange | None = None

    @property
    def task(self) -> str:
        """The task, on one line."""
        given = self.call.get("input")
        return squeeze(str(given.get("task", "") if isinstance(given, dict) else ""))

    @property
    def result(self) -> wire.Block:
        """The result that was sent for the call; empty where none was."""
        sent = wire.results(self.after.messages) if self.after else ()
        return next((block for block in sent if block.get("tool_use_id") == self.call.get("id")), {})

    def facts(self) -> dict[str, object]:
        """Return what every message about it shows."""
        return {"tool": self.call.get("name"), "task": clip(self.task, 70), "before": self.asked.turn}


def starts_afresh(trace: Trace) -> Verdict:
    """A task is done by a loop that sees the task and nothing else. Findings: ``not_run``, ``not_fresh``."""
    given = _first(trace)
    if given is None:
        return unknown()
    if not given.below:
        if given.after is None:
            return unknown()
        if given.task and given.task in _own_words(given.after):
            return broken(
                "subloops.not_fresh",
                given.after.turn,
                **given.facts(),
                seen=clip(_own_words(given.after), 70),
            )
        sent = clip(result_text(given.result.get("content")), 60)
        return broken("subloops.not_run", given.after.turn, **given.facts(), sent=sent)
    seen = _taken_along(given, given.below[0])
    if seen:
        return broken("subloops.not_fresh", given.below[0].turn, **given.facts(), seen=clip(seen, 70))
    return holds()


def hands_up_what_it_found(trace: Trace) -> Verdict:
    """What the loop below says in the end reaches the model above. Finding: ``payload_lost``."""
    given = _first(trace)
    if given is None or given.after is None or not given.below or given.below[-1].signal not in FINAL:
        return unknown()
    said, got = given.below[-1].text, result_text(given.result.get("content"))
    wanted = set(re.findall(r"\w{4,}", said))
    if len([word for word in wanted if word in got]) < 0.6 * len(wanted):
        facts = {**given.facts(), "said": clip(said, 80), "got": clip(got, 80)}
        return broken("subloops.payload_lost", given.after.turn, **facts)
    return holds()


def says_when_it_did_not_finish(trace: Trace) -> Verdict:
    """A loop below that ended early, or was refused, is told to the model above. Finding: ``quiet``."""
    given = _first(trace)
    if given is None or not given.below or given.below[-1].signal in FINAL:
        return unknown()
    last = given.below[-1]
    if given.after is None:
        loud = trace.exit.reason == "raised" and trace.exit.error_type not in SLIPS
        return holds() if loud or trace.exit.reason == "exited" else unknown()
    content = result_text(given.result.get("content"))
    own = [text for one in given.below for text in (one.text, *map(str, (ran.content for ran in one.ran)))]
    if given.result.get("is_error") is True or mentions(_parsed(content), own, SAYS_UNFINISHED):
        return holds()
    facts = {**given.facts(), "sent": len(given.below), "signal": last.signal, "got": clip(content, 80)}
    return broken("subloops.quiet", given.after.turn, **facts)


def shares_one_budget(trace: Trace) -> Verdict:
    """All requests, of every loop, stay within the steps that the caller allowed. Finding: ``overspent``."""
    seen, given, allowed = exchanges(trace), _first(trace), views.option(trace, "steps")
    if given is None or not isinstance(allowed, int):
        return unknown()
    if len(seen) > allowed:
        facts = {**given.facts(), "allowed": allowed, "sent": len(seen), "below": len(given.below)}
        return broken("subloops.overspent", seen[allowed].turn, **facts)
    return holds()


def keeps_its_turns_below(trace: Trace) -> Verdict:
    """The conversation above never holds turns of the loop below. Finding: ``leaked``."""
    given = _first(trace)
    if given is None or given.after is None or not given.below:
        return unknown()
    theirs = {block.get("id"): block for one in given.below for block in one.asked}
    for one in exchanges(trace):
        if one.turn < given.after.turn:
            continue
        leaked = [block for block in wire.calls(one.messages) if block.get("id") in theirs]
        if leaked:
            facts = {**given.facts(), "leaked": len(leaked), "name": leaked[0].get("name")}
            return broken("subloops.leaked", one.turn, **facts, turns=len(one.messages))
    return holds()


def bounds_its_depth(trace: Trace) -> Verdict:
    """A loop below that delegates again and again meets an end. Finding: ``too_deep``."""
    seen, delegates = exchanges(trace), _delegates(trace)
    deep = deepest = 0
    turn = 0
    for before, one in zip([None, *seen], seen, strict=False):
        fresh = not any(message.get("role") == "assistant" for message in one.messages)
        asked = before is not None and any(block.get("name") in delegates for block in before.asked)
        deep = deep + 1 if fresh and asked else 0
        if deep > deepest:
            deepest, turn = deep, one.turn
    if deepest > DEEPEST:
        return broken(
            "subloops.too_deep", turn, depth=deepest, sent=len(seen), tool=", ".join(sorted(delegates))
        )
    return holds() if _first(trace) is not None and trace.exit.reason in ("returned", "raised") else unknown()


def _delegates(trace: Trace) -> frozenset[str]:
    stated = views.option(trace, "subloops")
    return frozenset(stated) if isinstance(stated, dict) else frozenset()


def _first(trace: Trace) -> Delegation | None:
    """Return the first delegation of the run (rule 1), or None."""
    delegates, found, seen = _delegates(trace), None, exchanges(trace)
    for one in seen:
        if found is None:
            call = next((block for block in one.asked if block.get("name") in delegates), None)
            found = Delegation(call, seen[0], one) if call is not None else None
        elif found.call.get("id") in {block.get("id") for block in wire.calls(one.messages)}:
            found.after = one
            return found
        else:
            found.below.append(one)
    return found


def _taken_along(given: Delegation, first: Exchange) -> str:
    """Return what *first*, the first request below, holds of the conversation above; empty for nothing."""
    told = squeeze(" ".join(_words(turn) for turn in first.messages))
    opening, *later = given.asked.messages
    asked = [part for part in views.sentences(_words(opening)) if part not in given.task]
    heard = [part for turn in later for part in views.sentences(_words(turn)) if part not in given.task]
    # Words that a loop puts beside every task are not the conversation above.
    whole = asked if views.is_the_callers(given.opening) or all(part in told for part in asked) else []
    return next((part for part in [*whole, *heard] if part in told), "")


def _words(turn: dict[str, Any]) -> str:
    """Return what a turn says, results included."""
    blocks = wire.of_type(turn.get("content"), "tool_result")
    said = [wire.text_of(turn.get("content")), *(result_text(block.get("content")) for block in blocks)]
    return "\n".join(said)


def _own_words(one: Exchange) -> str:
    """Return the text that a request's user turns hold besides results."""
    users = [turn for turn in one.messages if turn.get("role") == "user"]
    return squeeze(" ".join(wire.text_of(turn.get("content")) for turn in users))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _crates(limit: int) -> dict[str, Any]:
    """Return the option under which ``survey_crates`` is a loop of at most *limit* requests."""
    schema = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
    tool = {"name": "open_crate", "description": "Open a crate in the depot.", "input_schema": schema}
    return {"survey_crates": {"tools": [tool], "max_iterations": limit}}


_SCHEMA = {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}
_COLLEAGUE = {"name": "ask_colleague", "description": "Hand a task to a colleague.", "input_schema": _SCHEMA}

SURVEY = Case("delegated_survey", {"subloops": _crates(6)})
NESTED = Case(
    "passed_on_and_on", {"subloops": {"ask_colleague": {"tools": [_COLLEAGUE], "max_iterations": 30}}}
)

PROBES: tuple[Probe, ...] = (
    probe(starts_afresh, "l", SURVEY, katas=("18",)),
    probe(hands_up_what_it_found, "l", SURVEY, katas=("18",)),
    probe(
        says_when_it_did_not_finish,
        "l",
        Case("delegated_survey", {"subloops": _crates(2)}),
        Case("delegated_survey", {"subloops": _crates(6)}, {4: "refusal"}),
        criteria=(6,),
        katas=("18",),
    ),
    probe(
        shares_one_budget,
        "l",
        Case("delegated_survey", {"subloops": _crates(10), "steps": 4}),
        criteria=(5,),
        katas=("18",),
    ),
    probe(keeps_its_turns_below, "l", SURVEY, katas=("18",)),
    probe(bounds_its_depth, "l", NESTED, criteria=(5,), katas=("18",)),
)
