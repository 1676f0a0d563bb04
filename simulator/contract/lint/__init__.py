"""Finds the known anti-patterns of agent loops in anybody's source, by its syntax tree.

Nothing that is linted is imported or run. What is imported here is little; the linter itself comes with the
first call.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.contract.lint.finding import Finding
    from simulator.contract.lint.run import Linted
    from simulator.contract.lint.settings import Settings

__all__ = ["lint_paths", "lint_source"]


def lint_source(source: str, name: str = "<string>", settings: Settings | None = None) -> list[Finding]:
    """Return what is found in *source*, in the order of its lines.

    *name* is the file it is said to be, for settings that differ by file. Raises BrokenSourceError (a
    ValueError) for what is no Python.
    """
    from simulator.contract.lint import run

    return run.lint_source(source, name, settings)


def lint_paths(paths: Sequence[str | os.PathLike[str]], settings: Settings | None = None) -> list[Linted]:
    """Return what is found in the files that *paths* mean: files, or folders with all below them.

    Without *settings* those of the nearest ``pyproject.toml`` hold. What is wrong with a file stands in its
    ``problems``. Raises FileNotFoundError for a path that is not there, SettingsError (a ValueError) for
    settings that cannot be followed.
    """
    from simulator.contract.lint import run

    return run.lint_paths(paths, settings)
