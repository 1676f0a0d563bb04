"""Runs one loop on many cases, in child processes side by side.

Rules of this file:

1. Which child runs which case depends on nothing but their order, so what a loop keeps from run to run is the
   same each time. Results come back in the order of the cases.
2. The loop is loaded in every child. One that hangs or dies is replaced, and the cases after it are run as if
   nothing had happened; after :data:`ENOUGH` such losses a child's other cases are not run any more.
3. The first cases are tried before the others: a loop that ends them all without asking anything will do so
   every time, and nobody waits for that.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from simulator.gate import perform
from simulator.gate.child import GATE
from simulator.gate.probe import Case
from simulator.gate.problems import Problem
from simulator.gate.process import Answer, Lost, Process
from simulator.gate.ran import Loop, OurFault, Ran, hopeless
from simulator.gate.runner import trace_of
from simulator.gate.target import Target

LOADING = 30.0
"""Seconds that importing a loop may take; some libraries need ten."""

FIRST = 2
"""How many cases are tried before the others."""

ENOUGH = 6
"""How many runs of one child may hang or die."""

VARIABLES = {"ANTHROPIC_API_KEY": "offline", "PYTHONHASHSEED": "0"}
"""A module that wants a key at its import gets one that opens nothing; sets have the same order each time."""


class Pool:
    """Children that all have the loop of *target* loaded; *folder* is the user's own."""

    def __init__(
        self,
        target: Target,
        folder: Path | None = None,
        workers: int = 2,
        *,
        python: str = sys.executable,
        loading: float = LOADING,
        deadline: float = perform.DEADLINE,
        enough: int = ENOUGH,
    ) -> None:
        self._python, self._folder, self._deadline = python, folder or Path.cwd(), deadline
        self._load = {
            "load": {
                "text": target.text,
                "file": str(target.file) if target.file else None,
                "module": target.module,
                "name": target.name,
            },
            "folder": str(self._folder),
            "deadline": loading,
        }
        self._workers = [_Worker(self._child(), self._load, enough) for _ in range(max(1, workers))]

    def load(self) -> Loop | Problem:
        """Return what is known of the loop, or why it cannot be had."""
        results: list[Loop | Problem] = []
        _side_by_side([partial(_append, results, worker.ready) for worker in self._workers])
        return next((each for each in results if isinstance(each, Problem)), results[0])

    def run(self, cases: Sequence[Case], seed: int, *, lines: bool = False) -> list[Ran]:
        """Return what came of each of *cases*, in their order."""
        jobs = [self._job(case, seed, lines) for case in cases]
        done: dict[int, Ran] = {}
        self._deal(jobs[:FIRST], 0, done)
        first, bare = [done[n] for n in sorted(done)], not any(case.options for case in cases[:FIRST])
        if len(jobs) > FIRST and hopeless(first, bare=bare):
            return first
        self._deal(jobs[FIRST:], FIRST, done)
        return [done[n] for n in range(len(jobs))]

    def close(self) -> None:
        """End the children."""
        for worker in self._workers:
            worker.child.stop()

    def __enter__(self) -> Pool:
        for worker in self._workers:
            worker.child.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _child(self) -> Process:
        return Process(self._python, (GATE,), self._folder, VARIABLES)

    def _job(self, case: Case, seed: int, lines: bool) -> Answer:
        stated = {"scenario": case.scenario, "options": dict(case.options), "what_if": dict(case.what_if)}
        limits = {"max_requests": perform.MAX_REQUESTS, "deadline": self._deadline}
        return {"case": stated, "seed": seed, "lines": lines, **limits}

    def _deal(self, jobs: Sequence[Answer], start: int, done: dict[int, Ran]) -> None:
        """Give every child each *n*th of *jobs*, and wait for them all."""
        numbered, count = list(enumerate(jobs, start)), len(self._workers)
        _side_by_side(
            [partial(_work, worker, numbered[n::count], done) for n, worker in enumerate(self._workers)]
        )


class _Worker:
    """One child, and how often it was lost."""

    def __init__(self, child: Process, load: Answer, enough: int) -> None:
        self.child, self._load, self._enough = child, load, enough
        self._loop: Loop | Problem | None = None
        self._losses = 0

    def ready(self) -> Loop | Problem:
        """Return the loop, loaded in this child."""
        if self._loop is None or not self.child.alive:
            self._loop = self._loaded()
        return self._loop

    def run(self, job: Answer) -> Ran:
        """Return what came of *job*."""
        if self._losses >= self._enough:
            return Ran(None, problem=Problem("gate.end.not_run", {"losses": self._losses}))
        loop = self.ready()
        if isinstance(loop, Problem):
            return Ran(None, problem=Problem("gate.end.not_run", {"losses": max(1, self._losses)}))
        answer = self.child.ask(job, job["deadline"])
        if isinstance(answer, Lost):
            self._losses += 1
            return Ran(None, problem=_lost(answer, "gate.end", f"{job['deadline']:g}"))
        ran = _ran(answer)
        if ran.problem is not None and ran.problem.code == "gate.end.hangs":
            self._losses += 1
            self.child.stop()
        return ran

    def _loaded(self) -> Loop | Problem:
        answer = self.child.ask(self._load, self._load["deadline"])
        if isinstance(answer, Lost):
            return _lost(answer, "gate.target", f"{self._load['deadline']:g}")
        _raise_ours(answer)
        if answer["problem"] is None:
            return Loop(**answer["loop"])
        self.child.stop()
        problem = Problem.from_dict(answer["problem"])
        if problem.code != "gate.end.hangs":
            return problem
        place = problem.frames[-1] if problem.frames else None
        facts = problem.facts | {"line": place.line if place else "?", "text": place.text if place else ""}
        return Problem("gate.target.hangs", facts, problem.frames)


def _append(results: list[Any], make: Callable[[], Any]) -> None:
    results.append(make())


def _work(worker: _Worker, jobs: Sequence[tuple[int, Answer]], done: dict[int, Ran]) -> None:
    for number, job in jobs:
        done[number] = worker.run(job)


def _ran(answer: Answer) -> Ran:
    _raise_ours(answer)
    problem = Problem.from_dict(answer["problem"]) if answer["problem"] else None
    trace = trace_of(answer["trace"]) if answer["trace"] else None
    printed, tried = answer["output"]["count"], next(iter(answer.get("tried", ())), None)
    return Ran(trace, answer.get("lacks"), problem, printed, answer.get("threads", 0), tried)


def _raise_ours(answer: Answer) -> None:
    if answer.get("fault"):
        raise OurFault(answer["fault"])


def _lost(lost: Lost, room: str, seconds: str) -> Problem:
    if lost.why == "no start":
        return Problem("gate.target.no_start", {"python": Path(sys.executable).name})
    if lost.why == "died":
        return Problem(f"{room}.died", {"status": "?" if lost.status is None else lost.status})
    return Problem(
        f"{room}.hangs", {"seconds": seconds} | ({"line": "?", "text": ""} if "target" in room else {})
    )


def _side_by_side(works: Sequence[Callable[[], object]]) -> None:
    """Do all *works* at once; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            # In short waits: on Windows a thread that is waited for without end hears no Ctrl-C.
            thread.join(0.2)
    if raised:
        raise raised[0]
