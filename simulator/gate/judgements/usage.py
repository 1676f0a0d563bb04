"""Family p: what a run used is the sum over all its answers, cache tokens and failed turns included.

Rules of this file:

1. A loop that hands over no figures claims none. One that hands back the API's own last response, as it is,
   does not either: whoever reads it knows that it is one answer's. A field of the loop's own is a claim.
2. Of several tables one has to be right: a loop may give the last answer's figures beside the sum. A single
   figure (``tokens``) is held only against what it may be: everything, all but the cache, the last answer.
3. A convention is free: cache tokens on their own, or inside the input. Left out of both, they are lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.figures import Table, tables, totals
from simulator.gate.judgements.reading import Exchange, exchanges
from simulator.gate.judgements.subloops import SURVEY
from simulator.gate.probe import Case, Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, not_applicable, unknown

if TYPE_CHECKING:
    from simulator.trace.document import Trace

COUNTERS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, slots=True)
class Sums:
    """What the answers of a run used."""

    input: int
    output: int
    written: int
    read: int

    @property
    def cached(self) -> int:
        """Cache tokens, written and read."""
        return self.written + self.read

    @property
    def everything(self) -> int:
        """All tokens."""
        return self.input + self.output + self.cached

    def agrees(self, table: Table) -> bool:
        """True when *table* states these sums (rule 3)."""
        if table.output != self.output or table.input not in (self.input, self.input + self.cached):
            return False
        stated = [(table.written, self.written), (table.read, self.read)]
        if any(given is not None and given != right for given, right in stated):
            return False
        if table.cached is not None and table.cached not in (self.cached, self.read):
            return False
        apart = table.cached == self.cached or (table.written, table.read) == (self.written, self.read)
        summed = table.total == self.everything
        return apart or summed or table.input == self.input + self.cached

    def forgets_the_cache(self, table: Table) -> bool:
        """True when *table* is right but for the cache tokens."""
        return (table.input, table.output) == (self.input, self.output)


def adds_up(trace: Trace) -> Verdict:
    """The figures handed back are the sums over all answers.

    Findings: ``last_only``, ``cache_forgotten``, ``wrong``, ``null`` (a null counter was added up).
    """
    return _judged(trace)


def counts_a_stream_once(trace: Trace) -> Verdict:
    """Of a stream, the last count of each kind is what was used. Findings: as of ``adds_up``."""
    return _judged(trace)


def charges_what_a_subloop_used(trace: Trace) -> Verdict:
    """What a loop below used is in the figures of the run.

    Findings: as of ``adds_up``, and ``subloop_free``.
    """
    return _judged(trace)


def _judged(trace: Trace) -> Verdict:
    seen = [one for one in exchanges(trace) if one.response is not None and one.response.error is None]
    if not seen:
        return unknown()
    last, error = seen[-1], trace.exit.message or ""
    if trace.exit.error_type == "TypeError" and "NoneType" in error and _has_null(last):
        return broken("usage.null", last.turn, error=error, counters=", ".join(_nulls(last)))
    if trace.exit.reason not in ("returned", "raised", "interrupted"):
        return unknown()
    found = [*tables(trace.exit.value), *tables(trace.exit.left.get("records", []), entry=True)]
    sums = _sums(seen)
    entries = [table for table in found if table.entry]
    if any(sums.agrees(table) for table in found) or _entries_agree(entries, seen, sums):
        return holds()
    claims = [table for table in found if not table.entry and not table.one_answer]
    if not claims and len(entries) == 1 < len(seen) and _above(seen) == seen:
        claims = [table for table in entries if not table.one_answer]
    return _wrong(seen, sums, claims[-1]) if claims else _single(trace, seen, sums)


def _single(trace: Trace, seen: list[Exchange], sums: Sums) -> Verdict:
    """Judge a loop that gives one figure for all tokens, if it gives any (rule 2)."""
    last = _sums(seen[-1:])
    for where, number in totals(trace.exit.value):
        if number == sums.everything:
            return holds()
        facts = {"answers": len(seen), "said": f"{number:,}", "right": f"{sums.everything:,}", "where": where}
        if number == sums.input + sums.output:
            return broken("usage.cache_forgotten", seen[-1].turn, **facts, cached=sums.cached)
        if number in (last.everything, last.input + last.output):
            return broken("usage.last_only", seen[-1].turn, **facts)
    return not_applicable("usage.no_figures")


def _wrong(seen: list[Exchange], sums: Sums, table: Table) -> Verdict:
    above = _above(seen)
    facts = {
        "answers": len(seen),
        "said": _shown(table.input, table.output, table.written, table.read),
        "right": _shown(sums.input, sums.output, sums.written, sums.read),
        "where": table.where or "-",
    }
    turn = seen[-1].turn
    if sums.cached and sums.forgets_the_cache(table):
        return broken("usage.cache_forgotten", turn, **facts, cached=sums.cached)
    if len(seen) > 1 and (table.input, table.output) == (_sums(seen[-1:]).input, _sums(seen[-1:]).output):
        return broken("usage.last_only", turn, **facts)
    if len(above) < len(seen) and _sums(above).output == table.output:
        return broken("usage.subloop_free", turn, **facts, below=len(seen) - len(above))
    return broken("usage.wrong", turn, **facts)


def _above(seen: list[Exchange]) -> list[Exchange]:
    """Return the exchanges of the loop above: those below have other tools than the first request."""
    return [one for one in seen if one.request.parameters.get("tools") is None]


def _sums(seen: list[Exchange]) -> Sums:
    return Sums(*(sum(_count(one, name) for one in seen) for name in COUNTERS))


def _entries_agree(entries: list[Table], seen: list[Exchange], sums: Sums) -> bool:
    """True when the tables in lists, one for each answer, add up to the sums."""
    if len(entries) != len(seen):
        return False
    return sums.agrees(
        Table(
            sum(table.input for table in entries),
            sum(table.output for table in entries),
            sum(table.written or 0 for table in entries),
            sum(table.read or 0 for table in entries),
        )
    )


def _count(one: Exchange, name: str) -> int:
    value = one.response.usage.get(name) if one.response else None
    return value if isinstance(value, int) else 0


def _nulls(one: Exchange) -> list[str]:
    usage: dict[str, Any] = one.response.usage if one.response else {}
    return [name for name in COUNTERS if usage.get(name) is None]


def _has_null(one: Exchange) -> bool:
    return bool(_nulls(one))


def _shown(fresh: int, output: int, written: int | None, read: int | None) -> str:
    named = [("input", fresh), ("output", output), ("cache written", written), ("cache read", read)]
    return ", ".join(f"{name} {number:,}" for name, number in named if number is not None)


RECORDED: dict[str, Any] = {"records?": True}

PROBES: tuple[Probe, ...] = (
    probe(
        adds_up,
        "p",
        Case("cached_turns", RECORDED),
        Case("cached_turns", {**RECORDED, "steps?": 2}),
        Case("cached_turns", RECORDED, {3: "refusal"}),
        katas=("22",),
    ),
    probe(
        counts_a_stream_once,
        "p",
        Case("cached_turns", {**RECORDED, "stream": True}),
        Case("cached_turns", {**RECORDED, "stream": True, "steps?": 2}),
        katas=("22",),
    ),
    probe(
        charges_what_a_subloop_used,
        "p",
        Case(SURVEY.scenario, {**SURVEY.options, **RECORDED}),
        Case(SURVEY.scenario, {**SURVEY.options, **RECORDED, "steps?": 6}),
        katas=("18", "22"),
    ),
)
