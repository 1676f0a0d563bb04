"""A report in the terminal: a row for each probe, family by family, and what was found under those that fail.

Rules of this file:

1. What is shown is made once, as rows; a terminal gets them with colour, anything else as plain lines. What
   colour says, a word says too, and ``NO_COLOR`` is respected (rich does).
2. Nothing a loop or a recording said is ever markup: rich gets finished texts, not strings to interpret.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TextIO

from simulator.gate.criteria import Criterion
from simulator.gate.judge import STATES, Found, Report
from simulator.gate.messages import PARTS, Message, message, sentence, title
from simulator.gate.probe import Probe
from simulator.text import say
from simulator.text.visible import visible

WIDTH = 100
"""Columns of plain text, and of a terminal that is wider: longer lines are hard to read."""

NARROW = 40
"""Columns that are asked of a terminal."""

Style = Literal["head", "pass", "fail", "could-not-check", "not-applicable", "plain"]

COLOURS: dict[Style, str] = {
    "head": "bold",
    "pass": "green",
    "fail": "bold red",
    "could-not-check": "yellow",
    "not-applicable": "dim",
    "plain": "",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a *label* of a few words in its own column, and a text that is wrapped beside it."""

    text: str
    label: str = ""
    style: Style = "plain"
    depth: int = 0
    """0 for a heading, 1 for a probe, 2 for what is said about it."""


def rows(report: Report) -> list[Row]:
    """Return the rows that show *report*."""
    made = [*_head(report)]
    told = [(found, message(found, report.loop)) for found in report.findings]
    by_family = sorted(told, key=lambda pair: pair[0].probe.family)
    for letter, group in groupby(by_family, key=lambda pair: pair[0].probe.family):
        made += [Row(""), _family(letter)]
        for found, words in group:
            made += _probe(found, words)
    return [*made, *_not_applicable(told), *_notes(report), *_tail(report)]


def _head(report: Report) -> Iterator[Row]:
    loop = report.loop
    place = f"{loop.name}, {Path(loop.file).name}:{loop.line}" if loop else ""
    yield Row(
        say("cli.check.head", target=visible(report.target), place=visible(place), seed=report.seed),
        style="head",
    )


def _family(letter: str) -> Row:
    return Row(f"{letter}  {say(f'gate.family.{letter}')}", style="head")


def _probe(found: Found, words: Message) -> Iterator[Row]:
    state = found.state
    yield Row(f"{words.title} ({found.probe.id})", say(f"gate.state.{state}"), state, 1)
    if state in ("fail", "could-not-check"):
        for part, text in words.parts.items():
            if state == "fail" or part != "rule":
                yield Row(text, say(f"gate.part.{part}"), depth=2)
        yield Row(words.where, say("gate.part.where"), depth=2)


def _not_applicable(told: Iterable[tuple[Found, Message]]) -> Iterator[Row]:
    """Say once, for all probes that share it, why they do not apply."""
    why: dict[str, list[str]] = {}
    for found, words in told:
        if found.state == "not-applicable":
            why.setdefault(words.parts["why"], []).append(found.probe.id)
    if why:
        yield Row("")
        yield Row(say("cli.check.not_applicable"), style="head")
    for text, ids in why.items():
        yield Row(f"{text} ({', '.join(ids)})", depth=1)


def _notes(report: Report) -> Iterator[Row]:
    if report.notes:
        yield Row("")
        yield Row(say("cli.check.notes"), style="head")
    yield from (Row(sentence(note), depth=1) for note in report.notes)


def _tail(report: Report) -> Iterator[Row]:
    counts = {state.replace("-", "_"): report.count(state) for state in STATES}
    yield Row("")
    style: Style = "pass" if report.passed else "fail"
    yield Row(say("cli.check.summary", probes=len(report.findings), **counts), style=style)
    failed = next((found for found in report.findings if found.state == "fail"), None)
    if failed is not None:
        only = failed.probe.id.partition(".")[0]
        yield Row(say("cli.check.next", target=visible(report.target), only=only))
    elif not report.passed:
        yield Row(say("cli.check.nothing_shown"))


def criteria_rows(report: Report, found: Sequence[Criterion]) -> list[Row]:
    """Return the rows that show the criteria *found* of *report*."""
    made = [*_head(report)]
    for one in found:
        made += [Row(""), *_criterion(one, report)]
    met = sum(one.state == "met" for one in found)
    style: Style = "pass" if met == len(found) else "fail"
    return [*made, Row(""), Row(say("cli.check.criteria_met", met=met, all=len(found)), style=style)]


CRITERION: dict[str, Style] = {"met": "pass", "not-met": "fail", "not-shown": "could-not-check"}


def _criterion(one: Criterion, report: Report) -> Iterator[Row]:
    style = CRITERION[one.state]
    text = f"{one.number}. {say(f'gate.criterion.{one.number}')}"
    yield Row(text, say(f"gate.criterion.{one.state}"), style, 1)
    if not one.evidence:
        yield Row(say("gate.criterion.none"), depth=2)
    for found in one.evidence:
        words = message(found, report.loop)
        said = say("gate.criterion.evidence", id=found.probe.id, state=say(f"gate.state.{found.state}"))
        more = words.parts.get("why") or words.parts.get(PARTS[0], "")
        yield Row(f"{said}. {more}" if more else said, depth=2)


def list_rows(probes: Sequence[Probe]) -> list[Row]:
    """Return the rows that list *probes*."""
    made: list[Row] = []
    by_family = sorted(probes, key=lambda one: one.family)
    for letter, group in groupby(by_family, key=lambda one: one.family):
        made += [*([Row("")] if made else []), _family(letter)]
        for one in group:
            made.append(Row(title(one), one.id, depth=1))
            made.append(Row(", ".join(dict.fromkeys(case.scenario for case in one.cases)), depth=2))
    return [*made, Row(""), Row(say("cli.check.listed", probes=len(probes)))]


def described(probe: Probe) -> dict[str, Any]:
    """Return *probe* for programs."""
    cases = [
        {
            "scenario": case.scenario,
            "options": dict(case.options),
            "what_if": {str(turn): signal for turn, signal in case.what_if.items()},
        }
        for case in probe.cases
    ]
    about = {"id": probe.id, "family": probe.family, "title": title(probe)}
    return about | {"criteria": list(probe.criteria), "katas": list(probe.katas), "cases": cases}


def show(made: Sequence[Row], out: TextIO) -> None:
    """Write the rows *made* to *out*."""
    if out.isatty():
        _coloured(made, out)
    else:
        out.write(plain(made))


def plain(made: Sequence[Row]) -> str:
    """Return *made* as lines of plain text."""
    labels = _widths(made)
    return "".join(line.rstrip() + "\n" for row in made for line in _lines(row, labels[row.depth]))


def _lines(row: Row, label: int) -> list[str]:
    indent = "  " * row.depth
    first = f"{indent}{row.label:<{label}}  " if row.label else indent
    rest = " " * len(first) if row.label else indent
    return textwrap.wrap(
        row.text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ) or [first]


def _widths(made: Sequence[Row]) -> dict[int, int]:
    return {
        depth: max((len(row.label) for row in made if row.depth == depth), default=0) for depth in range(3)
    }


def _coloured(made: Sequence[Row], out: TextIO) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console, labels = Console(file=out, highlight=False), _widths(made)
    # A terminal with no room beside the labels breaks the lines itself; nothing may be left out of them.
    console.width = min(max(console.width, NARROW), WIDTH)
    for row in made:
        style = COLOURS[row.style]
        if not row.label:
            console.print(Padding(Text(row.text, style), (0, 0, 0, 2 * row.depth)))
            continue
        line = Table.grid(padding=(0, 2, 0, 0))
        line.add_column(width=labels[row.depth], no_wrap=True)
        line.add_column(overflow="fold")
        line.add_row(
            Text(row.label, style or "dim"), Text(row.text, style if row.style == "not-applicable" else "")
        )
        console.print(Padding(line, (0, 0, 0, 2 * row.depth)))
