"""What is asked of the linter: ``[tool.loop-lint]`` in the nearest ``pyproject.toml`` that has it.

Rules of this file:

1. A file is linted by the settings nearest to it, looking upwards from its folder.
2. A key, a rule or a value that is not known is an error with the close match: nobody should believe in a
   setting that does nothing.
3. A pattern without a slash is held against each name on the way to a file, one with a slash against the path
   from the folder of the ``pyproject.toml``. What holds for a folder holds for all in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from simulator.contract.lint.catalogue import near, resolve, slugs
from simulator.contract.lint.problems import SettingsError
from simulator.text import say
from simulator.text.visible import visible

TABLE = "loop-lint"
KEYS = ("select", "ignore", "exclude", "per-file-ignores")
FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rules are asked for, and which files are left out."""

    select: frozenset[str] | None = None
    """Ids; None for all."""
    ignore: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Pattern -> ids."""
    folder: Path | None = None
    """Where the patterns begin."""

    def asked(self, named: Iterable[str], path: Path | None = None) -> frozenset[str]:
        """Return those of the ids *named* that are asked for, in the file at *path*."""
        chosen = set(named) if self.select is None else set(named) & self.select
        chosen -= self.ignore
        for pattern, rules in self.per_file_ignores.items():
            if path is not None and self._matches(path, pattern):
                chosen -= rules
        return frozenset(chosen)

    def excludes(self, path: Path) -> bool:
        """Return whether the file or folder at *path* is left out."""
        return any(self._matches(path, pattern) for pattern in self.exclude)

    def _matches(self, path: Path, pattern: str) -> bool:
        try:
            parts = path.resolve().relative_to((self.folder or Path()).resolve()).parts
        except (ValueError, OSError):
            parts = path.parts
        matcher = _matcher(pattern)
        if "/" not in pattern.rstrip("/"):
            return any(matcher.fullmatch(part) for part in parts)
        return any(matcher.fullmatch("/".join(parts[:end])) for end in range(1, len(parts) + 1))


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    """Return *pattern* as an expression: ``*`` within a name, ``**`` across folders, ``?`` one character."""
    marks = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.strip("/").removeprefix("./"))
    return re.compile("".join(marks.get(part, re.escape(part)) for part in parts))


def nearest(folder: Path, named: Mapping[str, str] | None = None) -> Settings:
    """Return the settings for files of *folder*; *named* are the rules, id -> slug. Raises SettingsError."""
    for each in (folder.resolve(), *folder.resolve().parents):
        path = each / FILE
        if path.is_file():
            table = _table(path)
            if table is not None:
                return from_table(table, visible(str(path)), each, named)
    return Settings()


def _table(path: Path) -> Any:
    """Return the table of the linter in the file at *path*, None where there is none."""
    try:
        stated = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise SettingsError(say("lint.settings.unreadable", file=path, problem=error.strerror)) from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(say("lint.settings.toml", file=path, problem=visible(str(error)))) from None
    tool = stated.get("tool")
    return tool.get(TABLE) if isinstance(tool, dict) else None


def from_table(table: Any, file: str, folder: Path, named: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that *table* of *file* states; raises SettingsError."""
    named = slugs() if named is None else named
    if not isinstance(table, dict):
        raise SettingsError(say("lint.settings.no_table", file=file))
    for key in table:
        if key not in KEYS:
            raise SettingsError(say("lint.settings.key", file=file, key=visible(key), hint=_hint(key, KEYS)))
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise SettingsError(say("lint.settings.per_file", file=file))
    select = table.get("select")
    return Settings(
        None if select is None else rules_of(_strings(select, "select", file), f"{file}: select", named),
        rules_of(_strings(table.get("ignore", []), "ignore", file), f"{file}: ignore", named),
        tuple(_strings(table.get("exclude", []), "exclude", file)),
        {
            pattern: rules_of(_strings(rules, pattern, file), f"{file}: per-file-ignores", named)
            for pattern, rules in per_file.items()
        },
        folder,
    )


def _strings(value: Any, key: str, file: str) -> list[str]:
    if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        raise SettingsError(say("lint.settings.list", file=file, key=visible(key)))
    return value


def rules_of(words: Sequence[str], place: str, named: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the ids that *words* name; raises SettingsError with *place*, where the odd one stands."""
    named = slugs() if named is None else named
    ids = []
    for word in words:
        rule = resolve(word, named)
        if rule is None:
            hint = _hint(word, [*named, *named.values()])
            raise SettingsError(say("lint.settings.rule", place=place, word=visible(word) or "''", hint=hint))
        ids.append(rule)
    return frozenset(ids)


def _hint(word: str, known: Sequence[str]) -> str:
    meant = near(word, known)
    if meant is not None:
        return say("lint.settings.near", near=meant)
    return say(
        "lint.settings.known", known=", ".join(each for each in known if each in KEYS or each.isupper())
    )
