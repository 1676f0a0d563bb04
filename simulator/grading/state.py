"""A learner's ticks: which katas were passed or whose solution was seen, and how many hints were given.

Rules of this file:

1. One small readable file, ``katas/.katas/progress.json``. Deleting it loses the ticks and nothing else.
2. A file that cannot be read is said, left as it is, and never overwritten.
3. A tick that cannot be saved is no reason not to grade: that is said, too, and that is all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from simulator import files
from simulator.grading.catalogue import Catalogue, Kata
from simulator.text import say

FILE = Path(".katas") / "progress.json"


@dataclass(slots=True)
class Progress:
    """The ticks of one folder of katas."""

    path: Path
    passed: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    """Katas whose solution was opened before they were passed."""
    hints: dict[str, int] = field(default_factory=dict)
    broken: str = ""
    """Why the file could not be read; such a file is not written to."""

    def mark_passed(self, kata: Kata) -> None:
        """Tick *kata*."""
        if kata.slug not in self.passed:
            self.passed = sorted([*self.passed, kata.slug])

    def mark_seen(self, kata: Kata) -> None:
        """Note that the solution of *kata* was opened."""
        if kata.slug not in self.seen:
            self.seen = sorted([*self.seen, kata.slug])

    def next_rung(self, kata: Kata) -> int:
        """Count one more hint of *kata* and return its rung, at most the last."""
        self.hints[kata.slug] = min(self.hints.get(kata.slug, 0) + 1, kata.hints)
        return self.hints[kata.slug]

    def next_kata(self, catalogue: Catalogue) -> Kata | None:
        """Return the first kata that was not passed, or None."""
        return next((kata for kata in catalogue.katas if kata.slug not in self.passed), None)

    def save(self) -> str:
        """Write the file; return an empty text, or a sentence saying why it was not written."""
        if self.broken:
            return self.broken
        stated = {"passed": self.passed, "seen": self.seen, "hints": self.hints}
        try:
            self.path.parent.mkdir(exist_ok=True)
            files.put(self.path, (json.dumps(stated, indent=2) + "\n").encode("utf-8"))
        except OSError as error:
            return say("grading.state.unwritable", file=self.path, error=error)
        return ""


def read(catalogue: Catalogue) -> Progress:
    """Return the ticks of *catalogue*; none where there is no file yet, or where it cannot be read."""
    path = catalogue.folder / FILE
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        passed, seen = [str(one) for one in stated["passed"]], [str(one) for one in stated["seen"]]
        hints = {str(slug): int(count) for slug, count in stated["hints"].items()}
    except FileNotFoundError:
        return Progress(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        cause = f"{type(error).__name__}: {error}"
        return Progress(path, broken=say("grading.state.broken", file=path, error=cause))
    return Progress(path, passed, seen, hints)
