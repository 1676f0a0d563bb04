"""Family u: a check that always says "go on" is overruled, and the run that it was has a name of its own.

Rules of this file:

1. Rounds are counted in total. That something changed since the last one (another tool call, another text)
   starts no new count: a model that is sent back always changes something.
2. Its name is not that of a spent budget: whoever reads it has to look at the check, not at the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import outcome
from simulator.gate.judgements.named import LIMIT, crashed, named, says_unverified
from simulator.gate.judgements.reading import FINAL, exchanges
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace

MOST = 10
"""Rounds that a loop may go for a check that never agrees."""


def is_overruled(trace: Trace) -> Verdict:
    """After so many rounds in all the run ends, whatever the check says. Finding: ``without_end``."""
    seen = exchanges(trace)
    rounds = [one for one in seen if one.signal in FINAL]
    ran = sum(len(one.ran) for one in seen)
    if len(rounds) > MOST:
        facts = {"rounds": len(rounds), "requests": len(seen), "ran": ran}
        return broken("continuation.without_end", rounds[MOST].turn, **facts)
    return unknown() if not rounds or crashed(trace) else holds()


def has_its_own_name(trace: Trace) -> Verdict:
    """The end says that the check did not agree. Finding: ``nameless``."""
    seen = exchanges(trace)
    rounds = [one for one in seen if one.signal in FINAL]
    if not rounds or len(rounds) > MOST or crashed(trace):
        return unknown()
    if says_unverified(trace, seen):
        return holds()
    if trace.exit.reason == "returned" and not named(trace, seen, LIMIT):
        return unknown()  # Handed back as an answer: `verification` tells of that.
    facts = {"rounds": len(rounds), "requests": len(seen), "value": outcome(trace)}
    return broken("continuation.nameless", seen[-1].turn, **facts)


ALWAYS = {"check": "always", "steps?": 30}

PROBES: tuple[Probe, ...] = (
    probe(is_overruled, "u", Case("wrong_total", ALWAYS), Case("never_good_enough", ALWAYS), katas=("13",)),
    probe(has_its_own_name, "u", Case("wrong_total", ALWAYS), katas=("13",)),
)
