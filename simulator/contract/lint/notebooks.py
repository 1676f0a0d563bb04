"""The code cells of a Jupyter notebook as one module.

Rules of this file:

1. Cells are counted as one sees them, from 1, text cells included.
2. What IPython reads otherwise than Python (``%magic``, ``!shell``, ``name?``) is replaced line by line, so
   that every line stays where it was. A cell that is Python as it stands is left alone.
3. A cell that cannot be read is one problem; the others are linted all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.contract.lint.parsing import parse, parses, with_plain_ends
from simulator.contract.lint.problems import BrokenSourceError, Problem

_MAGIC = re.compile(r"\s*(%|!|\?|,|;)")
"""Begins a line that is not Python."""
_ASSIGNED = re.compile(r"(\s*[\w.]+(?:\s*,\s*[\w.]+)*\s*=\s*)[!%]")
"""``files = !ls``"""
_HELP = re.compile(r"\s*[\w.*]+\?{1,2}\s*$")
_WHOLE_CELL = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")
"""A cell in another language: ``%%bash``."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The code of a notebook."""

    source: str
    cells: tuple[tuple[int, int], ...]
    """For each line of the source, the cell and the line in it, both from 1."""
    problems: tuple[Problem, ...]


def read(text: str) -> Notebook:
    """Return the code of the notebook with the JSON *text*; raises BrokenSourceError."""
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    problems: list[Problem] = []
    for number, cell in enumerate(_cells(text), 1):
        code = _code(cell)
        if code is None:
            continue
        try:
            code = neutral(code)
        except BrokenSourceError as error:
            problems.append(replace(error.problem, cell=number))
            continue
        added = code.split("\n")
        lines += added
        places += [(number, line) for line in range(1, len(added) + 1)]
    return Notebook("\n".join(lines), tuple(places), tuple(problems))


def _cells(text: str) -> Sequence[Any]:
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        raise BrokenSourceError(Problem("lint.broken.notebook")) from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise BrokenSourceError(Problem("lint.broken.notebook"))
    return cells


def _code(cell: Any) -> str | None:
    """Return the code of *cell*, None for one of text and for what is no cell."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return None
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    return with_plain_ends(source) if isinstance(source, str) else None


def neutral(code: str) -> str:
    """Return *code* of a cell as Python with as many lines; raises BrokenSourceError."""
    if _WHOLE_CELL.match(code.lstrip("\n")):
        return "\n" * code.count("\n")
    if parses(code):
        return code
    lines, continued = [], False
    for line in code.split("\n"):
        changed = _plain(line, continued)
        continued = changed != line and line.rstrip().endswith("\\")
        lines.append(changed)
    changed_code = "\n".join(lines)
    parse(changed_code)
    return changed_code


def _plain(line: str, continued: bool) -> str:
    """Return *line*, or a statement that does nothing in its place."""
    indent = line[: len(line) - len(line.lstrip())]
    if continued:
        return ""
    assigned = _ASSIGNED.match(line)
    if assigned:
        return f"{assigned[1]}None"
    return f"{indent}pass" if _MAGIC.match(line) or _HELP.match(line) else line
