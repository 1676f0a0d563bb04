"""Findings for a person: the place, the line with a mark under it, and what was seen, why, and what to do.

Rules of this file:

1. What is shown is made once, as lines of styled pieces; a terminal gets them with colour, anything else
   plain. ``NO_COLOR`` is respected (rich does).
2. Nothing of a source is markup or steers a terminal: it passes through ``visible``.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TextIO

from simulator.contract.lint.catalogue import FIXABLE, PARTS, Rules, slugs, title, told, why
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.problems import Problem, sentence
from simulator.contract.lint.rules import RULES
from simulator.contract.lint.run import Linted
from simulator.text import say
from simulator.text.visible import visible

WIDTH = 100
"""Columns of text; longer lines are hard to read."""

Style = Literal["place", "rule", "mark", "label", "problem", "good", "plain"]
Line = list[tuple[str, Style]]

COLOURS: Mapping[Style, str] = {
    "place": "bold",
    "rule": "bold red",
    "mark": "red",
    "label": "dim",
    "problem": "yellow",
    "good": "green",
    "plain": "",
}


def lines(files: Sequence[Linted], named: Mapping[str, str], *, brief: bool = False) -> list[Line]:
    """Return the lines that show what was found in *files*; *named* are the rules, id -> slug."""
    made: list[Line] = []
    for file in files:
        made += [_problem(file, each) for each in file.problems]
        for finding in file.findings:
            made += [_head(file, finding, named, brief)]
            if not brief:
                made += [*_excerpt(file, finding), *_said(file, finding), [("", "plain")]]
    return [*made, *_tail(files)]


def place(file: Linted, line: int, column: int | None = None) -> str:
    """Return a place as an editor finds it: ``loop.py:12:5``, ``book.ipynb: cell 3, line 2``."""
    cell, number = file.place(line)
    if cell is not None:
        return say("lint.text.cell", file=visible(file.name), cell=cell, line=number)
    return ":".join([visible(file.name), str(number), *([str(column)] if column else [])])


def _problem(file: Linted, problem: Problem) -> Line:
    where = visible(file.name)
    if problem.cell is not None:
        where = say("lint.text.cell", file=where, cell=problem.cell, line=problem.line or 1)
    elif problem.line is not None:
        where = place(file, problem.line, problem.column)
    return [(f"{where}: ", "place"), (sentence(problem), "problem")]


def _head(file: Linted, finding: Finding, named: Mapping[str, str], brief: bool) -> Line:
    head: Line = [
        (f"{place(file, finding.place.line, finding.place.column)}: ", "place"),
        (f"{finding.rule} {named[finding.rule]}", "rule"),
    ]
    return [*head, (f"  {title(finding.rule)}", "plain")] if brief else head


def _excerpt(file: Linted, finding: Finding) -> Iterator[Line]:
    """Show the line of the finding, and under it a mark where it is."""
    line = file.line(finding.place.line).replace("\t", " ").replace("\f", " ")
    begin = finding.place.column - 1
    end = finding.place.end_column - 1 if finding.place.end_line == finding.place.line else len(line.rstrip())
    indent = min(len(line) - len(line.lstrip()), begin)
    before, at, after = line[indent:begin], line[begin:end], line[end:]
    if columns(before) > WIDTH // 2:
        before = f"… {before[-WIDTH // 3 :]}"
    gutter, margin = f"  {file.place(finding.place.line)[1]} | ", columns(visible(before))
    room = WIDTH - len(gutter)
    yield [(gutter, "label"), (_fitted(visible(before + at + after), room), "plain")]
    width = max(1, min(columns(visible(at)), room - margin))
    yield [(" " * (len(gutter) - 2) + "| ", "label"), (" " * margin + "^" * width, "mark")]


def _fitted(text: str, room: int) -> str:
    while columns(text) > room:
        text = f"{text[: room - 3]} …" if len(text) > room - 1 else text[:-3] + "…"
    return text.rstrip()


def columns(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def _said(file: Linted, finding: Finding) -> Iterator[Line]:
    labels = {part: say(f"lint.part.{part}") for part in PARTS}
    width = max(map(len, labels.values()))
    words = told(finding)
    for part, text in zip(PARTS, (words.saw, words.rule, words.remedy), strict=True):
        yield from _wrapped(f"  {labels[part]:<{width}}  ", text)
    if finding.fix and not file.cells:
        yield from _wrapped(" " * (width + 4), say("lint.text.fixable"))


def _wrapped(label: str, text: str) -> Iterator[Line]:
    room = WIDTH - len(label)
    for number, line in enumerate(textwrap.wrap(text, room, break_on_hyphens=False) or [""]):
        yield [(label if number == 0 else " " * len(label), "label"), (line, "plain")]


def _tail(files: Sequence[Linted]) -> Iterator[Line]:
    found = [each for file in files for each in file.findings]
    broken = sum(bool(file.problems) for file in files)
    mended = [each for file in files for each in file.mended]
    if mended:
        changed = sum(bool(file.mended) for file in files)
        yield [(say("lint.text.mended", mended=len(mended), files=changed), "good")]
    counts = {"files": len(files), "findings": len(found), "broken": broken}
    if not found and not broken:
        yield [(say("lint.text.clean", files=len(files)), "good")]
        return
    yield [(say("lint.text.summary", **counts), "rule")]
    fixable = sum(bool(each.fix) for file in files if not file.cells for each in file.findings)
    if fixable:
        yield [(say("lint.text.fixes", fixable=fixable), "plain")]


def mended_lines(files: Iterable[Linted], named: Mapping[str, str]) -> list[Line]:
    """Return a line for each thing that was mended in *files*."""
    return [
        [
            (f"{place(file, each.place.line)}: ", "place"),
            (say("lint.text.put_right", rule=each.rule, slug=named[each.rule]), "good"),
        ]
        for file in files
        for each in file.mended
    ]


def rule_lines(rules: Rules = RULES) -> list[Line]:
    """Return the lines that list the rules: id, slug, title, and why."""
    made: list[Line] = []
    for rule, slug in slugs(rules).items():
        fixable = f"  [{say('lint.text.has_fix')}]" if rule in FIXABLE else ""
        made.append([(f"{rule} {slug}", "rule"), (fixable, "label")])
        made += [*_wrapped("  ", title(rule)), *_wrapped("  ", why(rule)), [("", "plain")]]
    return made


def plain(made: Sequence[Line]) -> str:
    """Return *made* as plain text."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in made)


def show(made: Sequence[Line], out: TextIO) -> None:
    """Write *made* to *out*, with colour where it is a terminal."""
    if not out.isatty():
        out.write(plain(made))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, soft_wrap=True)
    for line in made:
        console.print(Text.assemble(*((text, COLOURS[style]) for text, style in line)))
