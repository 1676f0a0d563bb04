"""How a figure is made.

Rules of this file:

1. What is compared is measured in one process, in turns, round after round, each side first in every other
   round: what else the machine does falls on both alike. The first round warms up and does not count.
2. A figure is the median of the rounds' ratios. The medians in seconds stand beside it and promise nothing.
3. A target is printed beside its figure and judged by whoever reads it; no test asserts a time.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    what: str
    """What is compared with what."""
    at: str
    """The size or case."""
    value: float
    unit: str
    """``x`` for a ratio, ``ms`` for a time in a browser."""
    target: float | None
    """The most that *value* should be; None where nothing is promised."""
    detail: str
    """The two sides, in seconds or bytes."""

    def kept(self) -> bool | None:
        """Return whether the target is met; None where there is none."""
        return None if self.target is None else self.value <= self.target

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON, with ``kept``."""
        return {**asdict(self), "value": round(self.value, 3), "kept": self.kept()}


def ratio(
    what: str, at: str, ours: tuple[str, Call], theirs: tuple[str, Call], rounds: int, target: float | None
) -> Figure:
    """Return the figure "*ours* against *theirs*": a name and a call of each."""
    times = [pair(ours[1], theirs[1], turned=bool(number % 2)) for number in range(rounds + 1)][1:]
    medians = [statistics.median(side) for side in zip(*times, strict=True)]
    detail = f"{ours[0]} {shown(medians[0])}, {theirs[0]} {shown(medians[1])}"
    return Figure(what, at, statistics.median(our / their for our, their in times), "x", target, detail)


def pair(ours: Call, theirs: Call, turned: bool) -> tuple[float, float]:
    """Return the seconds that *ours* and *theirs* take one after the other; *turned*: theirs first."""
    if turned:
        their = seconds(theirs)
        return seconds(ours), their
    return seconds(ours), seconds(theirs)


def seconds(call: Call) -> float:
    """Return how long *call* takes, with no garbage of before to be collected in it."""
    gc.collect()
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def shown(seconds: float) -> str:
    """Return *seconds* in the unit that suits them."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"


def table(figures: Iterable[Figure]) -> str:
    """Return *figures* as aligned text: the figure, its target, and a mark where the target is missed."""
    head = ("", "at", "figure", "target", "")
    lines = [head] + [
        (
            figure.what,
            figure.at,
            f"{figure.value:.2f} {figure.unit}",
            "" if figure.target is None else f"<= {figure.target:g} {figure.unit}",
            ("" if figure.kept() is not False else "MISSED  ") + figure.detail,
        )
        for figure in figures
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
