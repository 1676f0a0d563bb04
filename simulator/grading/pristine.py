"""The katas as they were shipped: their starters and graders, kept apart from what a learner edits.

Rules of this file:

1. ``katas/.pristine/<slug>/<file>.txt`` is a copy of each shipped file, ``manifest.json`` holds its SHA-256.
   Both are made by ``python -m simulator.grading.pristine`` and held by a test.
2. Line ends do not count: Git may have changed them on the way to this machine.
3. Nothing of a learner's is ever overwritten without a backup beside it, whose name is told.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from simulator import files
from simulator.grading.catalogue import Kata, load
from simulator.text import say

FOLDER = ".pristine"
MANIFEST = "manifest.json"
FILES = ("loop.py", "loop_test.py")


class NotShippedError(LookupError):
    """The shipped copy of a file is not there, so it cannot be put back."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What putting a file back came to: ``done`` (with the backup), ``same``, ``new`` or ``away``."""

    what: str
    backup: Path | None = None


def sha256(text: str) -> str:
    """Return the hex SHA-256 of *text* with line feeds as line ends."""
    return hashlib.sha256(_lines(text).encode("utf-8")).hexdigest()


def shipped(kata: Kata, file: str) -> str:
    """Return the text of *file* of *kata* as shipped; raises NotShippedError."""
    path = _copy(kata, file)
    try:
        return _lines(path.read_text(encoding="utf-8"))
    except OSError:
        raise NotShippedError(
            say("grading.cli.reset_missing", number=kata.number, file=file, folder=path.parent)
        ) from None


def is_pristine(kata: Kata, file: str = "loop_test.py") -> bool:
    """True when *file* of *kata* has the SHA-256 that the manifest states, or the manifest states none."""
    try:
        stated = json.loads((kata.folder.parent / FOLDER / MANIFEST).read_text(encoding="utf-8"))
        text = (kata.folder / file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return bool(stated.get(f"{kata.slug}/{file}") == sha256(text))


def restore(kata: Kata, file: str = "loop.py") -> Restored:
    """Put *file* of *kata* back as shipped, with a backup of what was there.

    Raises NotShippedError, OSError.
    """
    text = shipped(kata, file)
    path = kata.folder / file
    try:
        old = path.read_bytes()
    except FileNotFoundError:
        files.put(path, text.encode("utf-8"))
        return Restored("new")
    if _lines(old.decode("utf-8", "replace")) == text:
        return Restored("same")
    backup = _free(path)
    files.put(backup, old)
    files.put(path, text.encode("utf-8"))
    return Restored("done", backup)


def put_away(path: Path) -> Restored:
    """Move the learner's file *path*, which was not there at the start, to a backup beside it."""
    backup = _free(path)
    path.rename(backup)
    return Restored("away", backup)


def make(folder: Path | None = None) -> list[Path]:
    """Write the shipped copies and the manifest from the files as they are now; return what was written."""
    written, manifest = [], {}
    catalogue = load(folder)
    for kata in catalogue.katas:
        for file in FILES:
            text = _lines((kata.folder / file).read_text(encoding="utf-8"))
            path = _copy(kata, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            files.put(path, text.encode("utf-8"))
            manifest[f"{kata.slug}/{file}"] = sha256(text)
            written.append(path)
    stated = json.dumps(manifest, indent=2) + "\n"
    files.put(catalogue.folder / FOLDER / MANIFEST, stated.encode("utf-8"))
    return written


def _copy(kata: Kata, file: str) -> Path:
    return kata.folder.parent / FOLDER / kata.slug / f"{file}.txt"


def _free(path: Path) -> Path:
    """Return a name beside *path* that no file has yet: ``loop.backup-1.py``."""
    number = 1
    while (backup := path.with_name(f"{path.stem}.backup-{number}{path.suffix}")).exists():
        number += 1
    return backup


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


if __name__ == "__main__":
    for one in make():
        print(one)
