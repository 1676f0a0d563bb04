"""Where the shipped cassettes and katas lie: beside the package in a clone, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def cassettes() -> Path:
    """Return the folder of the shipped cassettes."""
    return _shipped("cassettes")


def katas() -> Path:
    """Return the folder of the shipped katas."""
    return _shipped("katas")


def _shipped(name: str) -> Path:
    clone = _PACKAGE.parent / name
    return (
        clone
        if clone.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file()
        else _PACKAGE / "_data" / name
    )
