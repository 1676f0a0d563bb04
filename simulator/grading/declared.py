"""A learner's contract and the loop beside it: what the tests of such a kata ask of the two.

Rules of this file:

1. In steps: the contract is there, the rules accept it, it says what the story asks. Then the loop: it holds
   before the whole gate, and it is what the contract gives.
2. A step is skipped where it could only repeat what an earlier one found, or judge what is to be changed yet.
3. What is wrong with a contract is told in the rules' own words, found anew in the language of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from simulator.gate.judge import Found, Report
from simulator.gate.ran import Loop
from simulator.gate.runner import Outcome
from simulator.grading import refusals
from simulator.grading.asks import Ask
from simulator.grading.compiled import Compiled, command, short
from simulator.grading.results import CheckError, Result
from simulator.text import say

if TYPE_CHECKING:
    from simulator.contract.model import Contract
    from simulator.grading.catalogue import Kata

Gate = Callable[[Path, int], Report]
"""Judges the loop in a file, under a seed."""

CHECKED = "grading.contract.ran"
JUDGED = "grading.contract.ran_gate"


def whole_gate(loop: Path, seed: int) -> Report:
    """Return what all probes find about ``run_agent_loop`` in the file *loop*. It takes seconds."""
    from simulator.gate import target
    from simulator.gate.judge import examine
    from simulator.gate.loading import FUNCTION
    from simulator.gate.probes import all_probes

    return examine(target.read(f"{loop}:{FUNCTION}"), all_probes(), seed=seed)


class Declared:
    """One contract in one grading: ``declared.must_be_accepted()``."""

    def __init__(
        self,
        kata: Kata,
        loop: Path,
        seed: int,
        notice: Callable[[str], None],
        gate: Gate = whole_gate,
    ) -> None:
        self.kata, self.loop, self.seed = kata, loop, seed
        self.file = loop.with_name(kata.edited.name)
        self.test = ""
        self._notice, self._gate = notice, gate
        self._contract: Contract | None = None
        self._fallen: Result | None = None
        """What no later step can go beyond."""
        self._lacks: Result | None = None
        """The first demand of the story that the contract does not meet."""

    # --- the contract ----------------------------------------------------------------------------------

    def must_be_there(self) -> None:
        """Fail the test unless there is a file for the contract."""
        self._not_after(self._fallen)
        if not self.file.is_file():
            facts = {"file": self.file.name, "beside": lambda lang: refusals.beside(self.file, lang)}
            self._fail("contract.none", CHECKED, facts=facts)

    def must_be_accepted(self) -> None:
        """Fail the test unless the rules of the language accept the contract."""
        self.must_be_there()
        if self._contract is not None:
            return
        read = refusals.read(self.file)
        if not isinstance(read, refusals.Refusal):
            self._contract = read
            return
        finding = read.finding if self.kata.message_id(read.finding) else "contract.refused"
        self._fail(
            finding,
            CHECKED,
            probe=read.rule,
            facts=read.facts(),
            further=read.others,
            commands=(("see_all", f"{command(self.file, self.loop)} --check"),) if read.many else (),
        )

    def must(self, ask: Ask, *, point: int) -> None:
        """Fail the test unless the contract meets *ask*, which is *point* of the story's list."""
        self.must_be_accepted()
        assert self._contract is not None
        if ask.holds(self._contract):
            return
        seen = ask.seen(self._contract)
        facts = {
            "point": point,
            "place": ask.place,
            "wanted": ask.wanted,
            "seen": lambda lang: say("grading.contract.nothing", lang) if seen is None else _json(seen),
        }
        self._fail(ask.finding, CHECKED, probe=ask.finding, facts=facts)

    # --- the loop --------------------------------------------------------------------------------------

    def must_hold_before_the_gate(self) -> None:
        """Fail the test unless nothing fails before the whole gate."""
        compiled = self._compiled()
        if compiled.state == "missing":
            self._fail_as_compiled(compiled)
        self._notice("grading.contract.patience")
        report = self._gate(self.loop, self.seed)
        if report.passed:
            return
        if report.problem is not None:
            self._tell_problem(report, compiled)
        failed = [one for one in report.findings if one.state == "fail"]
        unseen = [one for one in report.findings if one.state == "could-not-check"]
        self._tell_failed([*failed, *unseen][0], report, compiled)

    def must_be_what_the_contract_gives(self) -> None:
        """Fail the test unless the loop is what the compiler makes of the contract."""
        compiled = self._compiled()
        if compiled.state != "same":
            self._fail_as_compiled(compiled)

    def _compiled(self) -> Compiled:
        self._not_after(self._fallen or self._lacks)
        self.must_be_accepted()
        assert self._contract is not None
        return Compiled(self.file, self.loop, self._contract, self.kata.number)

    def _fail_as_compiled(self, compiled: Compiled) -> NoReturn:
        self._fail("loop.other", CHECKED, facts=compiled.facts(), commands=compiled.commands())

    def _tell_problem(self, report: Report, compiled: Compiled) -> NoReturn:
        """Say why the gate could not judge the loop at all, under an id that no kata has."""
        from simulator.gate.messages import sentence

        problem = report.problem
        assert problem is not None
        facts = {"sentence": lambda lang: sentence(problem, lang)}
        raise CheckError(
            replace(
                self._result("G-GATE", JUDGED, facts),
                state="could-not-check",
                frames=problem.frames,
                commands=compiled.commands(),
            )
        )

    def _tell_failed(self, found: Found, report: Report, compiled: Compiled) -> NoReturn:
        """Say what the gate found first, in its own words, and what to do about it."""
        facts = {
            "failed": report.count("fail"),
            "probes": len(report.findings),
            "next": compiled.next,
            **_words(found, report.loop),
        }
        all_of_it = f"simulator check {short(self.loop)}:run_agent_loop --seed {self.seed}"
        self._fail(
            "gate.failed",
            JUDGED,
            probe=found.probe.id,
            facts=facts,
            commands=(*compiled.commands(), ("see_all", all_of_it)),
            outcome=Outcome(found.trace, None),
            scenario=found.case.scenario,
            turn=found.turn,
        )

    # --- results ---------------------------------------------------------------------------------------

    def _not_after(self, fallen: Result | None) -> None:
        if fallen is not None:
            raise CheckError(Result(self.test, "skipped", fallen.message, probe=fallen.probe))

    def _fail(self, finding: str, ran: str, **more: Any) -> NoReturn:
        message = self.kata.message_id(finding)
        if message is None:
            raise LookupError(f"{self.kata.slug} has no message for {finding} in katas.toml")
        result = replace(self._result(message, ran, more.pop("facts")), **more)
        if finding.startswith("asks."):
            self._lacks = self._lacks or result
        elif finding != "gate.failed":  # what the loop is can be told beside what it does
            self._fallen = result
        raise CheckError(result)

    def _result(self, message: str, ran: str, facts: dict[str, Any]) -> Result:
        return Result(self.test, "fail", message, ran=ran, facts={"contract": short(self.file), **facts})


def _words(found: Found, loop: Loop | None) -> dict[str, Callable[[str], str]]:
    """Return the gate's words on *found* as facts: ``title``, ``saw``, ``rule``."""
    from simulator.gate.messages import message, title

    def part(name: str) -> Callable[[str], str]:
        return lambda lang: message(found, loop, lang).parts.get(name, "")

    return {"title": lambda lang: title(found.probe, lang), "saw": part("saw"), "rule": part("rule")}


def _json(seen: Any) -> str:
    import json

    if isinstance(seen, dict):
        return ", ".join(f"{name} {value:g}" for name, value in seen.items())
    return json.dumps(seen, ensure_ascii=False)
