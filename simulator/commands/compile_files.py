"""The files that ``simulator compile`` writes or compares.

Rules of this file:

1. A file that was not generated, or was changed by hand since, is replaced by ``--force`` alone. One that
   holds what would be written is left untouched.
2. Where a file cannot go is said before the first is written.
3. Line ends do not count in a comparison, nor does the language of a report: one that was written in another
   language is up to date where it says the same.
"""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from simulator import files
from simulator.commands.parser import UsageError
from simulator.contract.seal import Kind, state
from simulator.text import say

Done = Literal["wrote", "unchanged", "same", "missing", "differs"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should be at a place: ``texts[0]``, or any other of ``texts``."""

    path: Path
    kind: Kind
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; ``diff`` where it differs, from what is there to what is wanted."""

    path: Path
    kind: Kind
    done: Done
    diff: str = ""


def refuse_same(read: Sequence[str | None], written: Sequence[str | None]) -> None:
    """Raise UsageError where one of the files to be *written* is one that is *read*, or named twice."""
    taken = [Path(name) for name in read if name is not None]
    for path in (Path(name) for name in written if name is not None):
        for other in taken:
            if _same(path, other):
                raise UsageError(say("cli.compile.same_place", path=path, other=other))
        taken.append(path)


def _same(path: Path, other: Path) -> bool:
    with suppress(OSError):  # one of them is not there
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)


def refuse_lost(wanted: Sequence[Wanted], *, force: bool) -> None:
    """Raise UsageError where a file cannot be written, or where that would lose what somebody else wrote."""
    for each in wanted:
        folder = Path(os.path.realpath(each.path)).parent  # a link is followed
        if not (each.path.parent.is_dir() and folder.is_dir()):
            raise UsageError(say("cli.compile.no_folder", path=each.path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(each.path))
        there = _there(each.path)
        if force or there in (None, "") or there in each.texts:
            continue
        seen = state(there or "", each.kind)
        if seen == "changed":
            raise UsageError(say("cli.compile.changed", path=each.path))
        if seen == "foreign":
            raise UsageError(say("cli.compile.foreign", path=each.path))


def write(wanted: Sequence[Wanted]) -> list[Outcome]:
    """Put each file in its place; raises OSError where the system does not let us."""
    outcomes = []
    for each in wanted:
        raw = each.texts[0].encode("utf-8")
        held = each.path.is_file() and each.path.read_bytes() == raw
        if not held:
            files.put(each.path, raw)
        outcomes.append(Outcome(each.path, each.kind, "unchanged" if held else "wrote"))
    return outcomes


def compare(wanted: Sequence[Wanted]) -> list[Outcome]:
    """Return how each file compares with what is wanted."""
    return [_compared(each) for each in wanted]


def _compared(wanted: Wanted) -> Outcome:
    there = _there(wanted.path)
    if there is None:
        return Outcome(wanted.path, wanted.kind, "missing")
    if there in wanted.texts:
        return Outcome(wanted.path, wanted.kind, "same")
    lines = difflib.unified_diff(
        there.splitlines(keepends=True),
        wanted.texts[0].splitlines(keepends=True),
        f"{wanted.path}",
        f"{wanted.path} (contract)",
    )
    return Outcome(wanted.path, wanted.kind, "differs", "".join(map(_whole, lines)))


def _whole(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _there(path: Path) -> str | None:
    """Return the text at *path* with LF ends, None where nothing is. Raises UsageError where no file is."""
    if not path.exists():
        return None
    if not path.is_file():  # a folder; a pipe, which nobody may ever write into
        raise UsageError(say("cli.compile.no_file", path=path))
    raw = path.read_bytes()
    return raw.decode("utf-8", errors="backslashreplace").replace("\r\n", "\n")
