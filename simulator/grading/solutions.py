"""One possible solution of a kata, shown as a difference to the learner's own file, with the reason.

Where the learner writes a contract, the solution is one, too: its loop is what the compiler makes of it.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import simulator
from simulator.grading import report
from simulator.grading.catalogue import Kata
from simulator.text import say


class NoSolutionError(LookupError):
    """The reference solution is not part of this installation."""


def path_of(kata: Kata) -> Path:
    """Return where the solution of *kata* lies: among the tests in a clone, in the package in a wheel."""
    package = Path(simulator.__file__).parent
    file = f"solution{kata.edited.suffix}"
    clone = package.parent / "tests" / "katas" / kata.slug / file
    return clone if clone.is_file() else package / "_data" / "solutions" / kata.slug / file


def compared(kata: Kata, lang: str | None = None) -> str:
    """Return the difference from the learner's file to the solution, and why it is so.

    Raises NoSolutionError; OSError where the learner's file cannot be read.
    """
    path = path_of(kata)
    try:
        solution = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise NoSolutionError(
            say("grading.cli.solution_missing", lang, number=kata.number, file=path)
        ) from None
    own = _own(kata)
    lines = list(difflib.unified_diff(own, solution, kata.edited.name, path.name, lineterm=""))
    if not lines:
        return say(f"grading.cli.solution_same_{kata.kind}", lang, number=kata.number)
    head = say("grading.cli.solution_head", lang, number=kata.number)
    why = report.wrapped("", say(f"katas.{kata.id}.why", lang))
    return "\n".join([head, "", *lines, "", *why])


def _own(kata: Kata) -> list[str]:
    """Return the lines of the learner's file; none where a contract has not been written yet."""
    if kata.kind == "contract" and not kata.edited.exists():
        return []
    return kata.edited.read_text(encoding="utf-8", errors="replace").splitlines()
