"""Problems of a contract as values, and how they are told: as text, as plain data.

Rules of this file:

1. A problem has its place, its rule, and three texts: what was seen, why it is a rule, what to write instead.
2. Whatever comes from the file passes ``visible`` before anybody sees it: nothing in it steers a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from simulator.text import say
from simulator.text.visible import visible


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: the ``rule`` that is broken, and where.

    ``pointer`` is a JSON pointer into the contract; of something missing, to the object that lacks it.
    ``line`` and ``column`` (characters) count from 1; None where no place in the text is at fault.
    """

    rule: str
    pointer: str
    line: int | None
    column: int | None
    saw: str
    reason: str
    remedy: str


class ContractError(ValueError):
    """A contract that is refused: its ``file``, and all ``problems`` in the order of their places.

    ``more`` counts those left out where there are over a hundred. ``str()`` tells all of it.
    """

    def __init__(self, file: str, problems: Sequence[Problem], more: int = 0) -> None:
        super().__init__(file, tuple(problems), more)
        self.file = file
        self.problems = tuple(problems)
        self.more = more

    def __str__(self) -> str:
        return as_text(self)


def as_text(error: ContractError) -> str:
    """Return the problems of *error* for people: ``file:line:column: rule``, and three lines each."""
    told = [_told(error.file, problem) for problem in error.problems]
    if error.more:
        told.append(say("contract.read.more", count=error.more))
    return "\n".join(told)


def problems_as_dicts(error: ContractError) -> list[dict[str, Any]]:
    """Return the problems of *error* as plain data, for ``--json``: the fields of :class:`Problem`."""
    return [{**asdict(problem), "pointer": _line(problem.pointer)} for problem in error.problems]


def quoted(value: Any, longest: int = 60) -> str:
    """Return *value* as JSON on one line, cut to *longest* characters."""
    return _cut(visible(json.dumps(value, ensure_ascii=False)), longest)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _told(file: str, problem: Problem) -> str:
    where = ":".join(str(part) for part in (_line(file), problem.line, problem.column) if part is not None)
    place = f" ({_cut(_line(problem.pointer), 120)})" if problem.pointer else ""
    return "\n".join(
        (
            f"{where}: {problem.rule}{place}",
            f"  {say('contract.read.saw', text=problem.saw)}",
            f"  {say('contract.read.reason', text=problem.reason)}",
            f"  {say('contract.read.remedy', text=problem.remedy)}",
        )
    )


def _line(text: str) -> str:
    """Return *text*, a name or a pointer out of a file, on one line."""
    return visible(text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r"))
