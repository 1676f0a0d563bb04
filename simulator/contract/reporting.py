"""A contract and the loop made from it, on one page that a reviewer reads in two minutes.

Rules of this file:

1. What stands on the page is derived: settings from the contract, lines from the source's syntax tree, the
   picture from the contract. The same contract gives the same bytes: no date, no path.
2. Text of the contract is quoted as data (:mod:`simulator.contract.quoted`), whatever is in it.
3. A criterion whose marks are not in the source is said to be not found; the page never vouches for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from simulator.contract import declared, diagram, located
from simulator.contract.model import Contract
from simulator.contract.quoted import block, code, span
from simulator.contract.seal import sealed
from simulator.text import say

LOOP = "run_agent_loop"
COMMANDS = (
    "simulator compile contract.json --output loop.py --report report.md --check",
    "simulator lint loop.py",
    f"simulator check loop.py:{LOOP} --criteria",
    f"simulator check loop.py:{LOOP}",
)
"""How to check, in the order of the sentences ``report.command.1`` …"""


def report(contract: Contract, source: str | None = None, lang: str | None = None) -> str:
    """Return the page about *contract* and *source*, the loop it compiles to; *lang* as for ``say``."""
    if source is None:
        from simulator.contract.compiler import loop_source

        source = loop_source(contract)
    sections = [
        _head(contract, lang),
        _declared(contract, lang),
        _picture(contract, lang),
        _generated(source, lang),
        _criteria(contract, source, lang),
        _checking(lang),
    ]
    return sealed("\n\n".join(sections) + "\n", "markdown")


def _head(contract: Contract, lang: str | None) -> str:
    title = say("contract.report.title", lang, name=span(contract.name))
    about = [] if contract.description is None else [block(contract.description)]
    return "\n\n".join([f"# {title}", *about, say("contract.report.digest", lang, digest=contract.digest)])


def _declared(contract: Contract, lang: str | None) -> str:
    origin = {False: say("contract.report.stated", lang), True: say("contract.report.default", lang)}
    rows = [(span(row.pointer), code(row.value), origin[row.default]) for row in declared.rows(contract)]
    names = ("setting", "value", "origin")
    table = _table([say(f"contract.report.{name}", lang) for name in names], rows)
    absent = declared.absent(contract)
    rest = [say("contract.report.absent", lang, pointers=_list(absent))] if absent else []
    return "\n\n".join([f"## {say('contract.report.declared', lang)}", table, *rest])


def _picture(contract: Contract, lang: str | None) -> str:
    return f"## {say('contract.report.picture', lang)}\n\n{block(diagram.mermaid(contract, lang), 'mermaid')}"


def _generated(source: str, lang: str | None) -> str:
    parts = located.parts(source)
    rows = [(span(part.name), _lines(part), _list(part.carries)) for part in parts if part.carries]
    names = ("part", "lines", "carries")
    table = _table([say(f"contract.report.{name}", lang) for name in names], rows)
    helpers = ", ".join(
        f"{span(part.name)} {_lines(part)}" for part in parts if not part.carries and part.name != LOOP
    )
    lines = next((_lines(part) for part in parts if part.name == LOOP), "")
    taken = _list(located.parameters(source, LOOP))
    told = [
        say("contract.report.called", lang, name=span(LOOP), lines=lines, parameters=taken),
        *([say("contract.report.helpers", lang, helpers=helpers)] if helpers else []),
    ]
    return "\n\n".join([f"## {say('contract.report.generated', lang)}", table, *told])


def _lines(part: located.Part) -> str:
    return str(part.first) if part.first == part.last else f"{part.first}–{part.last}"


def _criteria(contract: Contract, source: str, lang: str | None) -> str:
    rows = [
        (str(number), say(f"gate.criterion.{number}", lang), _places(spots, lang))
        for number, spots in located.criteria(source, contract).items()
    ]
    names = ("number", "criterion", "place")
    table = _table([say(f"contract.report.{name}", lang) for name in names], rows)
    return "\n\n".join(
        [f"## {say('contract.report.criteria', lang)}", table, say("contract.report.evidence", lang)]
    )


def _places(spots: Iterable[located.Spot], lang: str | None) -> str:
    """Return *spots* as ``part 12, 15–17; other 40``."""
    by_part: dict[str, list[int]] = {}
    for spot in spots:
        by_part.setdefault(spot.part, []).append(spot.line)
    shown = [f"{span(part)} {_ranges(lines)}" for part, lines in by_part.items()]
    return "; ".join(shown) or say("contract.report.not_found", lang)


def _ranges(lines: list[int]) -> str:
    """Return *lines*, in order, with neighbours as ranges: ``3, 7–9``."""
    distinct = sorted(set(lines))
    starts = [line for before, line in pairwise([-1, *distinct]) if line != before + 1]
    ends = [line for line, after in pairwise([*distinct, -1]) if after != line + 1]
    return ", ".join(
        str(start) if start == end else f"{start}–{end}" for start, end in zip(starts, ends, strict=True)
    )


def _checking(lang: str | None) -> str:
    lines = [
        f"{number}. `{command}`: {say(f'contract.report.command.{number}', lang)}"
        for number, command in enumerate(COMMANDS, 1)
    ]
    return "\n".join([f"## {say('contract.report.checking', lang)}", "", *lines])


def _list(words: Iterable[str]) -> str:
    return ", ".join(span(word) for word in words)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; cells hold no pipe and no line end, which those who make them see to."""
    lines = [list(head), *map(list, rows)]
    marks = ["---"] * len(lines[0])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (lines[0], marks, *lines[1:]))
