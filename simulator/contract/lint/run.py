"""Lint sources and files.

Rules of this file:

1. What is wrong with a file is said of that file, and the others are linted all the same.
2. Nothing of what is linted is imported or run.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from simulator.contract.lint import notebooks, suppressions
from simulator.contract.lint.catalogue import Rules, slugs
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.parsing import MAX_BYTES, decode, parse
from simulator.contract.lint.problems import BrokenSourceError, Problem
from simulator.contract.lint.rules import RULES
from simulator.contract.lint.settings import Settings, nearest
from simulator.contract.lint.walk import Job, jobs

NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in one file."""

    name: str
    """The file, as it was named."""
    source: str = ""
    """With ``\\n`` ends; of a notebook its code cells, one below the other."""
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    """Of a notebook, for each line of the source: the cell, and the line in it."""
    mended: tuple[Finding, ...] = ()
    """What ``--fix`` put right."""

    def line(self, number: int) -> str:
        """Return line *number* (from 1) of the source; "" beyond its end."""
        lines = self.source.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def place(self, number: int) -> tuple[int | None, int]:
        """Return the cell, for a notebook, and the line in it, for line *number* of the source."""
        return self.cells[number - 1] if 0 < number <= len(self.cells) else (None, number)


def lint_source(
    source: str, name: str = "<string>", settings: Settings | None = None, *, rules: Rules = RULES
) -> list[Finding]:
    """Return what is found in *source*, in the order of its lines; raises BrokenSourceError.

    *name* is the file it is said to be, for settings that differ by file.
    """
    asked = (settings or Settings()).asked(slugs(rules), Path(name))
    return findings_in(source, name, asked, rules)


def findings_in(source: str, name: str, asked: Collection[str], rules: Rules) -> list[Finding]:
    """Return what the rules *asked* for (ids) find in *source*, suppressed ones left out."""
    tree = parse(source, name)
    try:
        found = set_apart(each for each in _found(source, tree, name, rules) if each.rule in asked)
        return set_apart(suppressions.settle(source, tree, found, asked, slugs(rules)))
    except RecursionError:
        raise BrokenSourceError(Problem("lint.broken.deep")) from None


def _found(source: str, tree: ast.Module, name: str, rules: Rules) -> Iterable[Finding]:
    module = Module(source, tree, name)
    for _, check in rules.values():
        yield from check(module)


def set_apart(findings: Iterable[Finding]) -> list[Finding]:
    """Return *findings* in order, each rule once at each place."""
    by_place = {(each.place, each.rule): each for each in reversed(list(findings))}
    return [by_place[key] for key in sorted(by_place)]


def lint_paths(
    paths: Sequence[str | os.PathLike[str]], settings: Settings | None = None, *, rules: Rules = RULES
) -> list[Linted]:
    """Return what is found in the files that *paths* mean (files, or folders with all below them).

    Without *settings* those of the nearest ``pyproject.toml`` hold. Raises FileNotFoundError for a path that
    is not there, SettingsError for settings that cannot be followed.
    """
    named = slugs(rules)

    @cache
    def settings_of(folder: Path) -> Settings:
        return nearest(folder, named) if settings is None else settings

    return [lint_job(job, rules) for job in jobs(paths, settings_of)]


def lint_job(job: Job, rules: Rules = RULES) -> Linted:
    """Return what is found in one file."""
    if job.problem is not None:
        return Linted(job.name, problems=(job.problem,))
    try:
        return _lint_bytes(read(job), job, rules)
    except BrokenSourceError as error:
        return Linted(job.name, problems=(error.problem,))


def read(job: Job) -> bytes:
    """Return what the file of *job* holds, a little more than is linted at most; raises BrokenSourceError."""
    if job.raw is not None:
        return job.raw
    try:
        # Not by the size it claims: a pipe and a device claim none, and may never end.
        with job.path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        facts = {"problem": error.strerror or type(error).__name__}
        raise BrokenSourceError(Problem("lint.broken.unreadable", facts)) from None


def _lint_bytes(raw: bytes, job: Job, rules: Rules) -> Linted:
    source = decode(raw).source
    if job.path.suffix == NOTEBOOK:
        return _lint_notebook(source, job, rules)
    try:
        return Linted(job.name, source, tuple(_of(source, job, rules)))
    except BrokenSourceError as error:
        return Linted(job.name, source, problems=(error.problem,))


def _of(source: str, job: Job, rules: Rules) -> list[Finding]:
    return findings_in(source, job.name, job.settings.asked(slugs(rules), job.path), rules)


def _lint_notebook(text: str, job: Job, rules: Rules) -> Linted:
    book = notebooks.read(text)
    try:
        found = tuple(_of(book.source, job, rules))
    except BrokenSourceError as error:
        return Linted(job.name, book.source, problems=(*book.problems, error.problem), cells=book.cells)
    return Linted(job.name, book.source, found, book.problems, book.cells)
