"""A contract read for a kata, and what the rules say where they refuse it, in any language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.reading import clip
from simulator.grading.speaking import speaking
from simulator.text import say
from simulator.text.visible import visible

if TYPE_CHECKING:
    from simulator.contract import ContractError, Problem
    from simulator.contract.model import Contract

SHOWN = 3
"""Problems that a page tells; the first of them with its reason."""

MOST_BYTES = 1024 * 1024
"""No policy lets a contract have more, so more is not read."""

WIDTH = 88
"""Columns for one of the further problems."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was refused, and the first rule that it breaks."""

    source: bytes | Path
    rule: str
    many: bool
    """True where there is more than one problem."""

    @property
    def finding(self) -> str:
        """The first rule; what is no JSON, or no file to read, is one finding."""
        return "contract.no_json" if self.rule.startswith(("json.", "file.")) else self.rule

    def facts(self) -> dict[str, Any]:
        """Return the facts of a message about the first problem."""

        def text(part: str) -> Any:
            return lambda lang: getattr(self._problems(lang).problems[0], part)

        def place(lang: str) -> str:
            return place_of(self._problems(lang).problems[0], lang)

        told = {part: text(part) for part in ("saw", "reason", "remedy")}
        return {"rule": self.rule, "place": place, **told}

    def others(self, lang: str) -> list[str]:
        """Return the next problems in a line each, and how many there are beyond."""
        told = self._problems(lang)
        rest, shown = told.problems[1:], told.problems[1:SHOWN]
        lines = [f"{place_of(one, lang)}: {one.rule}: {one.saw}" for one in shown]
        more = len(rest) - len(shown) + told.more
        if more:
            lines.append(
                say("grading.contract.more" if more > 1 else "grading.contract.more_one", lang, count=more)
            )
        return [clip(visible(line), WIDTH) for line in lines]

    def _problems(self, lang: str) -> ContractError:
        refused = _refused(self.source, lang)
        assert refused is not None
        return refused


def read(file: Path) -> Contract | Refusal:
    """Return the contract in *file*, or why it is refused."""
    from simulator.contract import ContractError
    from simulator.contract import read as read_contract

    source = _bytes(file)
    try:
        return read_contract(source)
    except ContractError as refused:
        return Refusal(source, refused.problems[0].rule, len(refused.problems) > 1)


def beside(file: Path, lang: str) -> str:
    """Return a word on a file beside *file* that may have been meant as it; an empty text for none."""
    names = sorted(one.name for one in file.parent.glob("*") if ".json" in one.name.lower())
    others = [name for name in names if ".backup-" not in name]
    return say("grading.contract.beside", lang, other=visible(others[0])) if others else ""


def place_of(problem: Problem, lang: str) -> str:
    """Return where *problem* is, in words."""
    if problem.line is None:
        return "contract.json"
    place = say("grading.contract.place", lang, line=problem.line, column=problem.column)
    return f"{place}, {problem.pointer}" if problem.pointer else place


def _bytes(file: Path) -> bytes | Path:
    """Return what is in *file*, so that all languages speak of the same; the file where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError:
        return file


def _refused(source: bytes | Path, lang: str) -> ContractError | None:
    from simulator.contract import ContractError
    from simulator.contract import read as read_contract

    with speaking(lang):
        try:
            read_contract(source)
        except ContractError as refused:
            return refused
    return None
