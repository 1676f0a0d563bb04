"""Edits put into a text that keeps its own line ends.

Rule of this file: what no edit names stays as it is, to the character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from simulator.contract.lint.finding import Edit, Finding

_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """Where the lines of a text begin and how they end."""

    def __init__(self, whole: str) -> None:
        self.whole = whole
        ends = list(_END.finditer(whole))
        self.starts = [0, *(end.end() for end in ends)]
        self.ends = [end.group() for end in ends]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; one beyond the text is its end, one beyond a line the line's end."""
        if line > len(self.starts):
            return len(self.whole)
        begin = self.starts[line - 1]
        if line > len(self.ends):
            return min(begin + column - 1, len(self.whole))
        return min(begin + column - 1, self.starts[line] - len(self.ends[line - 1]))

    def span(self, edit: Edit) -> tuple[int, int]:
        """Return what *edit* replaces."""
        place = edit.place
        return self.offset(place.line, place.column), self.offset(place.end_line, place.end_column)

    def text(self, edit: Edit) -> str:
        """Return what *edit* puts there, with the line ends of that place."""
        near = self.ends[edit.place.line - 1 : edit.place.line] or self.ends[-1:] or ["\n"]
        return edit.text.replace("\n", near[0])


def apply(whole: str, edits: Iterable[Edit]) -> str:
    """Return *whole* with *edits* made, which must not overlap."""
    lines = Lines(whole)
    made = sorted((*lines.span(edit), lines.text(edit)) for edit in edits)
    parts, at = [], 0
    for begin, end, text in made:
        parts += [whole[at:begin], text]
        at = end
    return "".join([*parts, whole[at:]])


def disjoint(whole: str, findings: Sequence[Finding]) -> list[Finding]:
    """Return the first of *findings* with fixes that do not touch one another; the others have to wait."""
    lines = Lines(whole)
    taken: list[tuple[int, int]] = []
    chosen: list[Finding] = []
    for finding in findings:
        spans = sorted({lines.span(edit) for edit in finding.fix})
        inside = all(one[1] <= two[0] and one != two for one, two in pairwise(spans))
        if inside and len(spans) == len(finding.fix) and not any(_touch(a, b) for a in spans for b in taken):
            taken += spans
            chosen.append(finding)
    return chosen


def _touch(one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Return whether two stretches share a character or a border."""
    return one[0] <= two[1] and two[0] <= one[1]
