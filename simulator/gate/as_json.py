"""A report as JSON, for programs: ``agent-loop-check``, version 1 (``simulator/gate/check.schema.json``).

Rule of this file: the same loop and the same seed give the same bytes. No clock, no folder of the machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.gate.criteria import criteria
from simulator.gate.judge import STATES, Found, Report
from simulator.gate.messages import called_with, message, sentence
from simulator.gate.ran import Loop
from simulator.text import say

FORMAT, VERSION = "agent-loop-check", 1


def to_dict(report: Report, folder: Path, lang: str | None = None) -> dict[str, Any]:
    """Return *report* as JSON values; paths are seen from *folder*."""
    problem = report.problem
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": report.target,
        "seed": report.seed,
        "passed": report.passed,
        "loop": _loop(report.loop, folder),
        "problem": {"code": problem.code, "message": sentence(problem, lang)} if problem else None,
        "summary": {state: report.count(state) for state in STATES},
        "probes": [_probe(found, report.loop, lang) for found in report.findings],
        "criteria": [
            {
                "number": one.number,
                "title": say(f"gate.criterion.{one.number}", lang),
                "state": one.state,
                "evidence": {found.probe.id: found.state for found in one.evidence},
            }
            for one in criteria(report.findings)
        ],
        "notes": [{"code": note.code, "message": sentence(note, lang)} for note in report.notes],
    }


def place(loop: Loop, folder: Path) -> str:
    """Return the loop's file as seen from *folder*; its bare name where it lies elsewhere."""
    path = Path(loop.file)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _loop(loop: Loop | None, folder: Path) -> dict[str, Any] | None:
    if loop is None:
        return None
    offers = {option: name for option, name in loop.offers.items() if name is not None}
    return {"name": loop.name, "file": place(loop, folder), "line": loop.line, "offers": offers}


def _probe(found: Found, loop: Loop | None, lang: str | None) -> dict[str, Any]:
    probe, told = found.probe, message(found, loop, lang)
    stated = {
        "id": probe.id,
        "family": probe.family,
        "title": told.title,
        "state": found.state,
        "criteria": list(probe.criteria),
    }
    if found.state == "pass":
        return stated
    case = found.case
    what_if = {str(turn): signal for turn, signal in case.what_if.items()}
    return stated | {
        "finding": found.finding,
        **told.parts,
        "scenario": case.scenario,
        "arguments": called_with(case, loop),
        "what_if": what_if,
        "request": found.turn,
        "line": told.line,
    }
