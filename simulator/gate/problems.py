"""What can keep a loop from being judged, as data that crosses from the child process to the report.

Rules of this file:

1. A problem has a code, and the code is the id of its message: ``grading.G-SYNTAX``.
2. Only frames of the learner's own file are carried; nobody needs to read ours.
"""

from __future__ import annotations

import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of the learner's file on the way to an exception, or where it was when time ran out."""

    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is nothing to judge, or not all of it."""

    code: str
    facts: dict[str, Any] = field(default_factory=dict)
    frames: tuple[Frame, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: dict[str, Any]) -> Problem:
        """Return the problem that :meth:`to_dict` described."""
        return cls(stated["code"], stated["facts"], tuple(Frame(**frame) for frame in stated["frames"]))


class UnloadableError(Exception):
    """A learner's file that gives no function to grade; ``problem`` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def frames_of(trace: TracebackType | None, path: Path) -> tuple[Frame, ...]:
    """Return the frames of *trace* that lie in the file *path*, outermost first."""
    found = []
    for frame in traceback.extract_tb(trace):
        if frame.filename == str(path):
            found.append(Frame(frame.lineno or 0, frame.name, (frame.line or "").strip()))
    return tuple(found)
