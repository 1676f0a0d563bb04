"""Runs the loop of a kata: each job reads the learner's file afresh, in a child process.

Rule of this file: a job always comes back, and after one that hangs or dies the next is graded as if nothing
had happened.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.gate.problems import Problem
from simulator.gate.process import Answer, Lost, Process

if TYPE_CHECKING:
    from simulator.trace.document import Trace


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one loop."""

    loop: Path
    scenario: str
    seed: int
    arguments: dict[str, Any] = field(default_factory=dict)
    max_requests: int = 12
    deadline: float = 10.0

    def stated(self) -> dict[str, Any]:
        """Return the job as the child reads it."""
        return {name: getattr(self, name) for name in self.__slots__} | {"loop": str(self.loop)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: a trace, or the problem that stood in its way."""

    trace: Trace | None
    problem: Problem | None
    printed: str = ""
    printed_count: int = 0
    """Characters that the loop printed; ``printed`` holds the first of them."""


class Runner:
    """Runs jobs in a child process, one after another."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._child: Process | None = None
        self._folder: str | None = None

    def start(self) -> None:
        """Start the child without waiting for it."""
        if self._child is None:
            self._folder = tempfile.mkdtemp(prefix="kata-")
            self._child = Process(self._python, folder=Path(self._folder))
        self._child.start()

    def run(self, job: Job) -> Outcome:
        """Run *job* and return its outcome; never raises for anything that a loop does."""
        self.start()
        assert self._child is not None
        answer = self._child.ask(job.stated(), job.deadline)
        if isinstance(answer, Lost):
            return Outcome(None, self._problem(answer, job))
        outcome = _outcome(answer)
        if outcome.problem is not None and outcome.problem.code == "G-HANGS":
            self._child.stop()
        return outcome

    def close(self) -> None:
        """End the child and remove its folder."""
        child, self._child = self._child, None
        if child is not None:
            child.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _problem(self, lost: Lost, job: Job) -> Problem:
        if lost.why == "no start":
            return Problem("G-NOSTART", {"python": self._python})
        facts: dict[str, Any] = {"status": lost.status or "?"}
        if lost.why == "died":
            return Problem("G-DIED", facts)
        return Problem("G-HANGS", facts | {"seconds": f"{job.deadline:g}"})


def _outcome(answer: Answer) -> Outcome:
    output = answer["output"]
    problem = Problem.from_dict(answer["problem"]) if answer["problem"] else None
    trace = trace_of(answer["trace"]) if answer["trace"] else None
    return Outcome(trace, problem, output["text"], output["count"])


def trace_of(document: dict[str, Any]) -> Trace:
    """Return the trace of *document*, which our own child has just made: no need to check it as a file is."""
    from simulator.trace.document import Trace
    from simulator.trace.pool import Pool
    from simulator.trace.steps import from_object

    pool = Pool(document["pool"])
    steps = tuple(from_object(n, stated, pool) for n, stated in enumerate(document["steps"]))
    about = {name: document[name] for name in ("scenario", "loop", "source", "system", "tools")}
    return Trace(**about, steps=steps, pool=pool)
