"""The files that are meant by the paths somebody names.

Rules of this file:

1. A file that is named is linted, whatever it is called and whatever is excluded. A folder stands for all
   Python files and notebooks below it, without what tools and environments put there.
2. A file comes once, by whatever way it is reached, and the order is the same everywhere.
3. A link to a folder is not followed: it may lead round in circles.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.contract.lint.problems import Problem
from simulator.contract.lint.settings import Settings

ENDINGS = (".py", ".pyw", ".ipynb")

EXCLUDED = frozenset(
    {"__pycache__", "__pypackages__", "build", "dist", "env", "node_modules", "site-packages", "venv"}
)
"""Folders that hold no source of one's own; nor do those whose name begins with a dot."""

ENVIRONMENT = "pyvenv.cfg"
"""A folder with this file is a virtual environment, however it is called."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file to lint."""

    path: Path
    name: str
    """As it is told to people: seen from the path that was named."""
    settings: Settings
    problem: Problem | None = None
    """Why a folder could not be looked into; *path* is the folder then."""
    raw: bytes | None = None
    """What was on standard input; *path* is no file then."""


def jobs(paths: Sequence[str | os.PathLike[str]], settings_of: Callable[[Path], Settings]) -> list[Job]:
    """Return the files that *paths* mean; *settings_of* gives the settings for the files of a folder.

    Raises FileNotFoundError for a path that is not there, and what *settings_of* raises.
    """
    seen: set[str] = set()
    found = []
    named = [Path(each) for each in paths]
    for path in named:
        if not _exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    for path in named:
        for job in _folder(path, settings_of) if path.is_dir() else [_file(path, settings_of)]:
            real = os.path.realpath(job.path)
            if real not in seen:
                seen.add(real)
                found.append(job)
    return found


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _file(path: Path, settings_of: Callable[[Path], Settings]) -> Job:
    return Job(path, str(path), settings_of(path.parent))


def _folder(root: Path, settings_of: Callable[[Path], Settings]) -> Iterator[Job]:
    unreadable: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=unreadable.append):
        here = Path(folder)
        settings = settings_of(here)
        folders[:] = sorted(each for each in folders if not _skipped(here / each, settings))
        for name in sorted(files):
            path = here / name
            if name.endswith(ENDINGS) and path.is_file() and not settings.excludes(path):
                yield Job(path, str(path), settings)
    for error in unreadable:
        path = Path(error.filename or root)
        facts = {"problem": error.strerror or type(error).__name__}
        yield Job(path, str(path), Settings(), Problem("lint.broken.folder", facts))


def _skipped(folder: Path, settings: Settings) -> bool:
    return (
        folder.name in EXCLUDED
        or folder.name.startswith(".")
        or (folder / ENVIRONMENT).is_file()
        or settings.excludes(folder)
    )
