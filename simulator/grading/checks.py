"""From a kata's tests to results: run the loop where a test asks for it, judge it, keep what was found.

Rules of this file:

1. A test asks for a run (``run("count_python_files")``) and says what must hold in it
   (``.must(history.carries_on)``). All tests of one grading share the runs: a scenario is run once.
2. A test that follows a failed one on the same run is skipped, not failed: it could only repeat the news.
   Runs are independent of each other, so an endless loop in one leaves the verdicts on the others standing.
3. When a judgement cannot tell, how the run ended decides what is said.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.gate.judgements.ending import show
from simulator.gate.judgements.reading import exchanges
from simulator.gate.problems import Frame, Problem
from simulator.gate.runner import Job, Outcome, Runner
from simulator.gate.verdict import Verdict
from simulator.grading.catalogue import Kata
from simulator.grading.results import CheckError, Result, State

if TYPE_CHECKING:
    from simulator.grading.declared import Declared
    from simulator.trace.document import Trace

Judgement = Callable[["Trace"], Verdict]

Notice = Callable[[str], None]
"""Says a sentence, by its id, to whoever waits."""
UNCHECKED = frozenset({"off_script", "recording_ends"})
"""Ends of a run that say nothing about the loop: nobody recorded what it did."""

ENDS = {
    "raised": "G-CRASH",
    "exited": "G-EXIT",
    "interrupted": "G-INTERRUPT",
    "runaway": "G-RUNAWAY",
    "deadline": "G-ENDLESS",
    "off_script": "G-OFFSCRIPT",
    "recording_ends": "G-RECORDING",
}
"""What is said when a run ended before the matter of a test came up."""


class Grading:
    """One grading of one loop: its runs, made when a test asks for them, and what they came to."""

    def __init__(
        self, kata: Kata, loop: Path, seed: int, runner: Runner, notice: Notice = lambda _: None
    ) -> None:
        self.kata, self.loop, self.seed, self.runner = kata, loop.resolve(), seed, runner
        self.results: list[Result] = []
        self.passed: dict[str, list[str]] = {}
        """Test name to the probes that held in it."""
        self._outcomes: dict[str, Outcome] = {}
        self._fallen: dict[str, Result] = {}
        self._test = ""
        self._notice = notice
        self._declared: Declared | None = None

    def begin(self, test: str) -> None:
        """Say which test asks from now on."""
        self._test = test

    @property
    def declared(self) -> Declared:
        """The contract beside the loop, for the test that asks now; what that takes is imported only here."""
        if self._declared is None:
            from simulator.grading.declared import Declared

            self._declared = Declared(self.kata, self.loop, self.seed, self._notice)
        self._declared.test = self._test
        return self._declared

    def __call__(self, scenario: str) -> Run:
        """Return the run of the loop on *scenario*."""
        if scenario not in self.kata.scenarios:
            raise ValueError(f"{self.kata.slug} is graded on {self.kata.scenarios}, not on {scenario!r}")
        return Run(self, scenario)

    def outcome(self, scenario: str) -> Outcome:
        """Return what running the loop on *scenario* came to; run it if that has not been done."""
        if scenario not in self._outcomes:
            job = Job(self.loop, scenario, self.seed, self.kata.arguments)
            self._outcomes[scenario] = self.runner.run(job)
        return self._outcomes[scenario]

    def judge(self, scenario: str, judgement: Judgement) -> None:
        """Raise CheckError unless *judgement* holds for the run on *scenario*."""
        probe = f"{judgement.__module__.rpartition('.')[2]}.{judgement.__name__}"
        base = Result(
            self._test, "pass", scenario=scenario, probe=probe, guard=self._test in self.kata.guards
        )
        blocked = self._fallen.get(scenario) or self._fallen.get("")
        if blocked:
            raise CheckError(replace(base, state="skipped", message=blocked.message))
        result = self._result(replace(base, outcome=self.outcome(scenario)), judgement)
        if result.state == "pass":
            self.passed.setdefault(self._test, []).append(probe)
            return
        # A file that cannot be loaded is the same news in every run of it.
        everywhere = (
            result.outcome is not None and result.outcome.trace is None and result.message != "G-HANGS"
        )
        self._fallen["" if everywhere else scenario] = result
        raise CheckError(result)

    def _result(self, base: Result, judgement: Judgement) -> Result:
        outcome = base.outcome
        assert outcome is not None
        if outcome.trace is None:
            problem = outcome.problem or Problem("G-DIED", {"status": None})
            state: State = "fail" if problem.code == "G-HANGS" else "could-not-check"
            return replace(
                base, state=state, message=problem.code, facts=problem.facts, frames=problem.frames
            )
        verdict = judgement(outcome.trace)
        if verdict.outcome == "pass":
            return base
        if verdict.outcome == "fail":
            message = self.kata.message_id(verdict.finding)
            if message is None:
                raise LookupError(f"{self.kata.slug} has no message for {verdict.finding} in katas.toml")
            return replace(base, state="fail", message=message, turn=verdict.turn, facts=dict(verdict.facts))
        return self._by_its_end(base, outcome.trace)

    def _by_its_end(self, base: Result, trace: Trace) -> Result:
        """Return what to say of a run in which the matter of the test never came up."""
        end = trace.exit
        code = ENDS.get(end.reason, "G-NOTHING")
        if code == "G-NOTHING" and trace.requests:
            code = "G-UNFINISHED"
        facts = {
            "type": end.error_type or "",
            "error": end.message or "",
            "requests": len(exchanges(trace)),
            "value": show(end.value),
        }
        frames = tuple(
            Frame(frame.get("line") or 0, frame.get("function", ""), frame.get("text", "").strip())
            for frame in end.traceback
        )
        state: State = "could-not-check" if end.reason in UNCHECKED else "fail"
        turn = len(exchanges(trace)) or None
        return replace(base, state=state, message=code, turn=turn, facts=facts, frames=frames)


@dataclass(frozen=True, slots=True)
class Run:
    """The learner's loop on one scenario, as a test sees it."""

    grading: Grading
    scenario: str

    @property
    def trace(self) -> Trace | None:
        """What happened, or None where the loop could not be run at all."""
        return self.grading.outcome(self.scenario).trace

    def must(self, judgement: Judgement) -> None:
        """Fail the test, in words, unless *judgement* holds for this run."""
        self.grading.judge(self.scenario, judgement)


def tests_of(path: Path) -> list[tuple[str, Callable[..., None]]]:
    """Return the tests of the file *path*, ``(name, function)``, in the order they are written."""
    spec = importlib.util.spec_from_file_location(f"kata_tests_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [
        (name, value) for name, value in vars(module).items() if name.startswith("test_") and callable(value)
    ]


def grade(kata: Kata, loop: Path, seed: int, runner: Runner, notice: Notice = lambda _: None) -> list[Result]:
    """Grade *loop* as *kata* and return one result per test, in order; *notice* tells who waits for long."""
    grading = Grading(kata, loop, seed, runner, notice)
    for name, test in tests_of(kata.test):
        grading.begin(name)
        try:
            # As pytest does it: a test says by its parameter what it looks at.
            test(grading.declared if "declared" in inspect.signature(test).parameters else grading)
        except CheckError as fell:
            grading.results.append(fell.result)
        else:
            grading.results.append(Result(name, "pass", guard=name in kata.guards))
    return grading.results


def first_failure(results: Iterable[Result]) -> Result | None:
    """Return the first result that is a failure or could not be checked, or None."""
    return next((one for one in results if one.state in ("fail", "could-not-check")), None)


def test_names(path: Path) -> list[str]:
    """Return the names of the tests in the file *path*, without running it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
