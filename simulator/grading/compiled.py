"""The loop of a kata beside what its contract gives: whether it is that, and the command that makes it so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from simulator.gate.judgements.reading import clip
from simulator.text import say

if TYPE_CHECKING:
    from simulator.contract.model import Contract

State = Literal["same", "missing", "foreign", "changed", "stale"]
"""As the contract gives it; not there; made by hand; compiled and changed since; from another contract."""

SHOWN = 60
"""Characters of a line that a page shows."""


@dataclass(frozen=True)
class Compiled:
    """One contract, and the file that should be its loop."""

    file: Path
    loop: Path
    contract: Contract
    number: str
    """The kata's, for the words on it."""

    @cached_property
    def state(self) -> State:
        """What the file is."""
        from simulator.contract.seal import state

        if self._there is None:
            return "missing"
        if self._there == self._wanted:
            return "same"
        seen = state(self._there)
        return "stale" if seen == "whole" else seen

    def facts(self) -> dict[str, Any]:
        """Return the facts of a message about a file that is something else."""
        pairs = zip_longest((self._there or "").splitlines(), self._wanted.splitlines())
        differing = ((n, *pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
        line, seen, wanted = next(differing, (1, None, None))
        return {
            "line": line,
            "seen": lambda lang: _line(seen, lang),
            "wanted": lambda lang: _line(wanted, lang),
            "what": lambda lang: say(f"grading.contract.what.{self.state}", lang),
            "next": self.next,
        }

    def next(self, lang: str) -> str:
        """Return what to do about it."""
        return say(f"grading.contract.next.{self.state}", lang, number=self.number)

    def commands(self) -> tuple[tuple[str, str], ...]:
        """Return the command that makes the file what it should be; none where it is."""
        if self.state == "same":
            return ()
        force = " --force" if self.state in ("foreign", "changed") else ""
        return (("compile", f"{command(self.file, self.loop)}{force}"),)

    @cached_property
    def _wanted(self) -> str:
        from simulator.contract import loop_source

        return loop_source(self.contract)

    @cached_property
    def _there(self) -> str | None:
        try:
            text = self.loop.read_bytes().decode("utf-8", errors="backslashreplace")
        except OSError:
            return None
        return text.replace("\r\n", "\n")


def command(file: Path, loop: Path) -> str:
    """Return the command that compiles *file* to *loop*, as it is typed here."""
    return f"simulator compile {short(file)} --output {short(loop)}"


def short(path: Path) -> str:
    """Return *path* as it is typed here: from the current folder on, in quotes where it needs them."""
    here = Path.cwd()
    name = str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
    return f'"{name}"' if " " in name else name


def _line(text: str | None, lang: str) -> str:
    if text is None:
        return say("grading.contract.nothing", lang)
    return say("grading.contract.quoted", lang, text=clip(text.strip(), SHOWN))
