"""What a user names as the loop to check: ``package.module:function``, ``file.py:function``, ``file.py``.

Rules of this file:

1. Here a name is read and the file looked for; nothing is imported. That happens in the child process
   (:mod:`simulator.gate.loaded`).
2. Each way to fail has a code, and the code is the id of its sentence.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from simulator.gate.problems import Problem, UnloadableError

USAGE = frozenset({"gate.target.form", "gate.target.no_file", "gate.target.no_module"})
"""Problems of the words on the command line; the others are of the file they name."""


@dataclass(frozen=True, slots=True)
class Target:
    """The loop to check, as it was named."""

    text: str
    file: Path | None
    """The file it is written in, absolute; None where a module was named."""
    module: str | None
    name: str | None
    """The function, perhaps with dots; None for an adapter file, which has but one."""


def read(text: str, folder: Path | None = None) -> Target:
    """Return the target that *text* names, seen from *folder* (default: the current one).

    Raises UnloadableError when it names none, or a file that is not there.
    """
    before, _, name = text.rpartition(":")
    if text.endswith(".py"):
        return Target(text, _existing(text, folder or Path.cwd()), None, None)
    if before and _dotted(name):
        if before.endswith(".py"):
            return Target(text, _existing(before, folder or Path.cwd()), None, name)
        if _dotted(before):
            return Target(text, None, before, name)
    raise UnloadableError(Problem("gate.target.form", {"seen": text or "''"}))


def _dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _existing(name: str, folder: Path) -> Path:
    path = (folder / name).resolve()
    if path.is_file():
        return path
    beside = [each.name for each in path.parent.glob("*.py")] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, sorted(beside), n=1, cutoff=0.7)
    code = "gate.target.no_file_near" if near else "gate.target.no_file"
    raise UnloadableError(Problem(code, {"file": name, **({"near": near[0]} if near else {})}))
