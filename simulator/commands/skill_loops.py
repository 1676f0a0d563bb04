"""The examples of a skill: compiled, compiled again by its script, linted, and run by the gate.

Rules of this file:

1. What is made goes to a folder of its own that is gone afterwards; nothing is written beside the skill.
2. The second loop is made by the skill's own script in a process of its own: that is what a user runs.
3. One run of the gate shows both: what breaks other loops, and the seven criteria.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator.commands.skill_lines import Line
from simulator.text import say

SCRIPT = "scripts/compile-agentic-loop.py"
FEWEST = 2
LOOP, REPORT = "loop.py", "report.md"
NAME = "run_agent_loop"


def examples(folder: Path, *, run: bool) -> Iterator[Line]:
    """Yield what holds of each example, and whether there are enough; *run*: with the linter and the gate."""
    found = sorted((folder / "assets" / "examples").glob("*.json"))
    few = "" if len(found) >= FEWEST else say("cli.skill.few", number=len(found), fewest=FEWEST)
    yield Line("assets/examples", say("cli.skill.examples", number=len(found)), few)
    for path in found:
        name = f"assets/examples/{path.name}"
        with tempfile.TemporaryDirectory(prefix="skill ") as scratch:
            try:
                yield from _example(folder, path, name, Path(scratch), run=run)
            except Exception as problem:
                yield Line(name, say("cli.skill.runs"), f"{type(problem).__name__}: {problem}")


def _example(folder: Path, path: Path, name: str, scratch: Path, *, run: bool) -> Iterator[Line]:
    from simulator.contract import ContractError, loop_source, read
    from simulator.contract.reporting import report

    claim = say("cli.skill.compiles")
    try:
        contract = read(path.read_bytes())
    except ContractError as refused:
        first = refused.problems[0]
        yield Line(name, claim, f"{first.line}:{first.column} {first.rule}: {first.saw} {first.remedy}")
        return
    made = {LOOP: loop_source(contract)}
    made[REPORT] = report(contract, made[LOOP])
    again = {LOOP: loop_source(read(path.read_bytes()))}
    yield Line(name, claim, "" if again[LOOP] == made[LOOP] else say("cli.skill.not_twice"))
    (scratch / "first").mkdir()
    for file, text in made.items():
        (scratch / "first" / file).write_bytes(text.encode("utf-8"))
    yield _by_script(folder, path, scratch, made)
    if run:
        yield _linted(name, scratch / "first" / LOOP)
        yield from _gated(name, scratch / "first" / LOOP)


def _by_script(folder: Path, path: Path, scratch: Path, made: dict[str, str]) -> Line:
    """Return whether the skill's script makes of the contract at *path* what the package *made* of it."""
    claim = say("cli.skill.script", example=path.name)
    files = {name: scratch / name for name in made}
    words = [str(folder / SCRIPT), str(path), "--output", str(files[LOOP]), "--report", str(files[REPORT])]
    status, said = _run(words)
    if status != 0:
        return Line(SCRIPT, claim, said)
    for name, text in made.items():
        if not files[name].is_file() or files[name].read_bytes() != text.encode("utf-8"):
            return Line(SCRIPT, claim, say("cli.skill.not_same", file=name))
    return Line(SCRIPT, claim)


def _linted(name: str, loop: Path) -> Line:
    status, said = _run(["-m", "simulator", "lint", str(loop)])
    return Line(name, say("cli.skill.lints"), said if status != 0 else "")


def _gated(name: str, loop: Path) -> Iterator[Line]:
    """Yield what the gate shows of *loop*: every probe, and the seven criteria."""
    done = _process(["-m", "simulator", "check", f"{loop}:{NAME}", "--json"])
    if not done.stdout.startswith("{"):
        yield Line(name, say("cli.skill.gated"), done.stderr.strip())
        return
    shown = json.loads(done.stdout)
    bad = [each["id"] for each in shown["probes"] if each["state"] == "fail"]
    problem = shown["problem"]["message"] if shown["problem"] else ", ".join(bad)
    yield Line(name, say("cli.skill.gated_many", **{"pass": shown["summary"]["pass"]}), problem)
    unmet = [str(each["number"]) for each in shown["criteria"] if each["state"] != "met"]
    yield Line(name, say("cli.skill.criteria"), ", ".join(unmet) or problem)


def _run(words: Sequence[str]) -> tuple[int, str]:
    """Run Python with *words*; return its exit status and what it said last, or all that it printed."""
    done = _process(words)
    return done.returncode, (done.stderr.strip() or done.stdout.strip())


def _process(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
