"""Findings as JSON, for programs: ``agent-loop-lint``, version 1, as ``lint.schema.json`` has it.

Rule of this file: the same files give the same bytes. No clock, no folder of the machine that nobody named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.contract.lint.catalogue import FIXABLE, Rules, slugs, title, told, why
from simulator.contract.lint.finding import Edit, Finding
from simulator.contract.lint.problems import Problem, sentence
from simulator.contract.lint.rules import RULES
from simulator.contract.lint.run import Linted

FORMAT, VERSION = "agent-loop-lint", 1


def to_dict(
    files: Sequence[Linted], folder: Path, named: Mapping[str, str], lang: str | None = None
) -> dict[str, Any]:
    """Return what was found in *files* as JSON values; *named* are the rules, id -> slug.

    Files are seen from *folder*.
    """
    found = Counter(each.rule for file in files for each in file.findings)
    return {
        "format": FORMAT,
        "version": VERSION,
        "passed": not any(file.findings or file.problems for file in files),
        "files": len(files),
        "summary": dict(sorted(found.items())),
        "findings": [_finding(file, each, folder, named, lang) for file in files for each in file.findings],
        "mended": [_mended(file, each, folder, named) for file in files for each in file.mended],
        "problems": [_problem(file, each, folder, lang) for file in files for each in file.problems],
    }


def path(name: str, folder: Path) -> str:
    """Return the file *name* as seen from *folder*, with slashes; as it was named where it lies elsewhere."""
    named = Path(name)
    inside = named.is_absolute() and named.is_relative_to(folder)
    return (named.relative_to(folder) if inside else named).as_posix()


def _finding(
    file: Linted, finding: Finding, folder: Path, named: Mapping[str, str], lang: str | None
) -> dict[str, Any]:
    words = told(finding, lang)
    about = {"id": finding.rule, "slug": named[finding.rule], "file": path(file.name, folder)}
    return {
        **about,
        **_where(file, finding),
        "function": finding.function,
        "title": words.title,
        "saw": words.saw,
        "rule": words.rule,
        "remedy": words.remedy,
        "fix": [] if file.cells else [_edit(each) for each in finding.fix],
    }


def _where(file: Linted, finding: Finding) -> dict[str, Any]:
    """Return the place; in a notebook lines count from the top of the cell."""
    at = finding.place
    cell, line = file.place(at.line)
    return {
        "cell": cell,
        "line": line,
        "column": at.column,
        "end_line": file.place(at.end_line)[1],
        "end_column": at.end_column,
    }


def _edit(edit: Edit) -> dict[str, Any]:
    at = edit.place
    begin = {"line": at.line, "column": at.column}
    return {**begin, "end_line": at.end_line, "end_column": at.end_column, "text": edit.text}


def _mended(file: Linted, finding: Finding, folder: Path, named: Mapping[str, str]) -> dict[str, Any]:
    about = {"id": finding.rule, "slug": named[finding.rule], "file": path(file.name, folder)}
    return {**about, "function": finding.function}


def _problem(file: Linted, problem: Problem, folder: Path, lang: str | None) -> dict[str, Any]:
    about = {"file": path(file.name, folder), "code": problem.code, "message": sentence(problem, lang)}
    return {**about, "cell": problem.cell, "line": problem.line}


def rules_to_list(rules: Rules = RULES, lang: str | None = None) -> list[dict[str, Any]]:
    """Return the rules for programs."""
    return [
        {
            "id": rule,
            "slug": slug,
            "title": title(rule, lang),
            "rule": why(rule, lang),
            "fix": rule in FIXABLE,
        }
        for rule, slug in slugs(rules).items()
    ]
