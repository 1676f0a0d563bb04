"""Judge one loop by many probes: run what their cases ask for, judge each run, and say what was found.

Rules of this file:

1. Equal cases share one run. A probe holds when it holds in each of its cases; the worst of them is told.
2. Where a judgement cannot tell, how the run ended decides (:mod:`simulator.gate.ends`).
3. One cause is told once: of runs that ended alike, the one with a finding explains the others, or the first
   stands for them. What could not be checked because of it names it.
4. A loop that cannot be loaded or run at all is one sentence, not one for each probe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from simulator.gate.ends import checkable, end_of, signature
from simulator.gate.options import OPTIONS, NotOfferedError
from simulator.gate.perform import perform
from simulator.gate.pool import Pool
from simulator.gate.probe import Case, Probe
from simulator.gate.problems import Problem
from simulator.gate.ran import Loop, Ran
from simulator.gate.target import Target

if TYPE_CHECKING:
    from simulator.trace.document import Trace

State = Literal["pass", "fail", "could-not-check", "not-applicable"]
Key = tuple[Any, ...]

STATES: tuple[State, ...] = ("pass", "fail", "could-not-check", "not-applicable")

FEW = 8
"""Cases for which it does not pay to import the SDK once more."""

EXPLAINED = "gate.explained"
"""Finding of a probe whose run ended as another's did."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one probe came to, in the case that decided it."""

    probe: Probe
    state: State
    case: Case
    finding: str = ""
    """Id of the sentences: a judgement's own, ``gate.end.raised``, ``gate.not_offered``; empty for a pass."""
    facts: Mapping[str, object] = field(default_factory=dict)
    turn: int | None = None
    """The request that it is about, from 1."""
    ran: Ran | None = None

    @property
    def trace(self) -> Trace | None:
        """The run, or None where there was none."""
        return self.ran.trace if self.ran else None

    @property
    def problem(self) -> Problem | None:
        """What stood in the way of the run."""
        return self.ran.problem if self.ran else None


@dataclass(frozen=True, slots=True)
class Report:
    """What the gate found about one loop."""

    target: str
    seed: int
    loop: Loop | None
    findings: tuple[Found, ...] = ()
    problem: Problem | None = None
    """Why nothing could be judged at all."""
    notes: tuple[Problem, ...] = ()
    """What else was seen: threads left behind, output without end."""

    def count(self, state: State) -> int:
        """Return how many probes came to *state*."""
        return sum(found.state == state for found in self.findings)

    @property
    def passed(self) -> bool:
        """True when nothing failed and something was seen to hold."""
        return self.problem is None and not self.count("fail") and self.count("pass") > 0


def examine(
    target: Target,
    probes: Sequence[Probe],
    *,
    seed: int = 0,
    workers: int = 2,
    folder: Path | None = None,
    lines: bool = False,
) -> Report:
    """Return what *probes* find about the loop that *target* names; with *lines*, failures follow its source.

    Never raises for anything that the loop does.
    """
    cases = distinct(probes)
    with Pool(target, folder, min(workers, 1 + len(cases) // FEW)) as pool:
        loop = pool.load()
        if isinstance(loop, Problem):
            return Report(target.text, seed, None, problem=loop)
        done = pool.run(cases, seed)
        if len(done) < len(cases):
            return Report(target.text, seed, loop, problem=hopeless_problem(done[0]))
        findings = judge(probes, {case.key(): ran for case, ran in zip(cases, done, strict=True)})
        if lines:
            findings = _followed(findings, pool, seed)
    return Report(target.text, seed, loop, findings, notes=_notes(done))


def distinct(probes: Iterable[Probe]) -> list[Case]:
    """Return the cases of *probes*, equal ones once, in order."""
    return list({case.key(): case for one in probes for case in one.cases}.values())


def performed(loop: Callable[..., Any], probes: Iterable[Probe], seed: int) -> dict[Key, Ran]:
    """Run *loop* in this process on all cases of *probes*, for :func:`judge`."""
    done = {}
    for case in distinct(probes):
        try:
            done[case.key()] = Ran(perform(loop, case, seed))
        except NotOfferedError as lacking:
            done[case.key()] = Ran(None, lacks=lacking.option)
    return done


def judge(probes: Sequence[Probe], done: Mapping[Key, Ran]) -> tuple[Found, ...]:
    """Return what each of *probes* came to on the runs *done*."""
    decided = [min((_found(one, case, done[case.key()]) for case in one.cases), key=_rank) for one in probes]
    return _told_once(decided)


def _found(probe: Probe, case: Case, ran: Ran) -> Found:
    """Return what *probe* finds in one run."""
    base = Found(probe, "pass", case, ran=ran)
    if ran.lacks is not None:
        facts = {"option": ran.lacks, "names": ", ".join(OPTIONS[ran.lacks].names)}
        return replace(base, state="not-applicable", finding="gate.not_offered", facts=facts)
    if ran.trace is None:
        return _by_its_end(base, ran)
    verdict = (case.judgement or probe.judgement)(ran.trace)
    told = replace(base, finding=verdict.finding, facts=verdict.facts, turn=verdict.turn)
    match verdict.outcome:
        case "pass":
            return base
        case "fail":
            return replace(told, state="fail")
        case "not_applicable":
            return replace(told, state="not-applicable")
        case "unknown":
            return _by_its_end(base, ran)


def _by_its_end(base: Found, ran: Ran) -> Found:
    code, turn, facts = end_of(ran)
    state: State = "fail" if checkable(code) else "could-not-check"
    return replace(base, state=state, finding=f"gate.end.{code}", facts=facts, turn=turn)


def _rank(found: Found) -> int:
    """Return the weight of *found* among the cases of a probe: a finding of its own weighs most."""
    if found.state == "fail":
        return 1 if _is_end(found) else 0
    return {"could-not-check": 2, "pass": 3, "not-applicable": 4}[found.state]


def _is_end(found: Found) -> bool:
    return found.finding.startswith("gate.end.")


def _told_once(decided: Sequence[Found]) -> tuple[Found, ...]:
    """Have one failure stand for all that ended alike (rule 3)."""
    causes: dict[Key, Found] = {}
    for found in sorted(decided, key=_rank):
        if found.state == "fail" and found.ran is not None:
            causes.setdefault(signature(found.ran), found)
            causes.setdefault(found.case.key(), found)
    return tuple(_explained(found, causes) for found in decided)


def _explained(found: Found, causes: Mapping[Key, Found]) -> Found:
    if found.state != "fail" or not _is_end(found) or found.ran is None:
        return found
    # What is wrong in this very run comes before what is wrong in one that ended alike.
    same_run, alike = causes[found.case.key()], causes[signature(found.ran)]
    cause = alike if _is_end(same_run) else same_run
    if cause is found:
        return found
    facts = {"cause": cause.probe.id}
    return replace(found, state="could-not-check", finding=EXPLAINED, facts=facts)


def _followed(findings: Sequence[Found], pool: Pool, seed: int) -> tuple[Found, ...]:
    """Return *findings*, the runs of the failures made again with the loop's source followed."""
    cases = list({found.case.key(): found.case for found in findings if found.state == "fail"}.values())
    again = {case.key(): ran for case, ran in zip(cases, pool.run(cases, seed, lines=True), strict=False)}
    return tuple(
        replace(found, ran=again.get(found.case.key(), found.ran)) if found.state == "fail" else found
        for found in findings
    )


def hopeless_problem(ran: Ran) -> Problem:
    """Return why no run of the loop came to anything, by the first of them."""
    code, _, facts = end_of(ran)
    return Problem(f"gate.everywhere.{code}", facts)


FLOOD = 1_000_000
"""Characters of output from which it is worth a word."""


def _notes(done: Sequence[Ran]) -> tuple[Problem, ...]:
    notes = []
    threads = sum(ran.threads > 0 for ran in done)
    if threads:
        notes.append(Problem("gate.note.threads", {"runs": threads}))
    printed = sum(ran.printed for ran in done)
    if printed > FLOOD:
        notes.append(Problem("gate.note.printed", {"characters": printed}))
    hosts = [ran.tried for ran in done if ran.tried is not None]
    if hosts:
        notes.append(Problem("gate.note.tried", {"host": hosts[0]}))
    return tuple(notes)
