"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request.

Rule of this file: a value is escaped as GitHub wants it, so that nothing in a source or a file name becomes a
command of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from simulator.contract.lint.as_json import path
from simulator.contract.lint.catalogue import told
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.problems import Problem, sentence
from simulator.contract.lint.run import Linted
from simulator.text import say

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def to_lines(
    files: Sequence[Linted], folder: Path, named: Mapping[str, str], lang: str | None = None
) -> Iterator[str]:
    """Yield a command for each finding and each problem; files are seen from *folder*."""
    for file in files:
        for problem in file.problems:
            yield _problem(file, problem, folder, lang)
        for finding in file.findings:
            yield _finding(file, finding, folder, named, lang)


def _finding(file: Linted, finding: Finding, folder: Path, named: Mapping[str, str], lang: str | None) -> str:
    words, at = told(finding, lang), finding.place
    text = f"{words.saw} {words.rule} {words.remedy}"
    where = {"file": path(file.name, folder)}
    cell, line = file.place(at.line)
    if cell is not None:
        text = f"{say('lint.text.cell', lang, file=file.name, cell=cell, line=line)}: {text}"
    elif at.end_line == at.line:
        # GitHub takes columns only within one line.
        where |= {"line": str(line), "col": str(at.column), "endColumn": str(at.end_column)}
    else:
        where |= {"line": str(line), "endLine": str(at.end_line)}
    return _command(where | {"title": f"{finding.rule} {named[finding.rule]}"}, text)


def _problem(file: Linted, problem: Problem, folder: Path, lang: str | None) -> str:
    where, text = {"file": path(file.name, folder)}, sentence(problem, lang)
    if problem.cell is not None:
        place = {"file": file.name, "cell": problem.cell, "line": problem.line or 1}
        text = f"{say('lint.text.cell', lang, **place)}: {text}"
    elif problem.line is not None:
        where["line"] = str(problem.line)
    return _command(where, text)


def _command(properties: Mapping[str, str], text: str) -> str:
    stated = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    return f"::error {stated}::{_escaped(text, _DATA)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(each, each) for each in text)
