"""A YAML file written by hand, and the line on which each of its values stands.

Rules of this file:

1. Safe loader only; a tag, a key written twice, an alias that grows without end is an error, never a guess.
2. Every error is a :class:`ScreenplayError`: file, line, place, what was seen, the rule, the remedy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.text import say

MAX_BYTES = 1_000_000
"""A screenplay is read by people; anything larger is a mistake."""

MAX_VALUES = 50_000
"""Values in one file with every alias written out: where an alias bomb ends."""

MAX_DEPTH = 40
"""Levels of nesting in one file: where an alias that contains itself ends."""

Place = tuple[str | int, ...]
"""Where a value stands: ``("branches", 0, "when")``."""


class ScreenplayError(ValueError):
    """A screenplay that cannot be played: ``path``, ``line`` (from 1; None for the whole file), ``place``."""

    def __init__(self, path: Path, line: int | None, place: Sequence[str | int], sentence: str) -> None:
        self.path = path
        self.line = line
        self.place = ".".join(str(step) for step in place) or None
        where = [path.name]
        if line is not None:
            where.append(say("screenplay.line", line=line))
        if self.place:
            where.append(self.place)
        super().__init__(f"{', '.join(where)}: {sentence}")


@dataclass(frozen=True)
class Marked:
    """A parsed file: its ``value`` and the ``lines`` (from 1) of its places."""

    path: Path
    value: Any
    lines: dict[Place, int]

    def line(self, place: Place) -> int | None:
        """Return the line of *place*, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)

    def error(self, place: Place, sentence_id: str, /, **values: object) -> ScreenplayError:
        """Return the error that says sentence *sentence_id* about *place*."""
        return ScreenplayError(self.path, self.line(place), place, say(sentence_id, **values))


def read(path: Path) -> Marked:
    """Return the YAML value in the file *path* with its lines. Raises ScreenplayError."""
    import yaml

    text = _text(path)
    try:
        # The pure Python loader on purpose: its marks are the same on every system.
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise ScreenplayError(path, None, (), say("screenplay.empty"))
            lines = _lines(path, node)
            return Marked(path, loader.construct_document(node), lines)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = mark.line + 1 if mark is not None else None
        raise ScreenplayError(path, line, (), say("screenplay.not_yaml", problem=problem)) from error
    except RecursionError:
        raise ScreenplayError(path, None, (), say("screenplay.too_deep", limit=MAX_DEPTH)) from None
    except (ValueError, TypeError) as error:
        if isinstance(error, ScreenplayError):
            raise
        raise ScreenplayError(path, None, (), say("screenplay.not_yaml", problem=str(error))) from error


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ScreenplayError(path, None, (), say("screenplay.too_large", limit=MAX_BYTES))
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ScreenplayError(path, None, (), say("screenplay.not_utf8", offset=error.start)) from error
    except OSError as error:
        problem = error.strerror or type(error).__name__
        raise ScreenplayError(path, None, (), say("screenplay.unreadable", problem=problem)) from error


def _lines(path: Path, root: Any) -> dict[Place, int]:
    """Return the line of every place under *root*, and refuse keys written twice and aliases without end."""
    import yaml

    lines: dict[Place, int] = {}
    todo: list[tuple[Place, Any]] = [((), root)]
    while todo:
        place, node = todo.pop()
        lines[place] = node.start_mark.line + 1
        if len(place) > MAX_DEPTH:
            raise ScreenplayError(path, lines[place], (), say("screenplay.too_deep", limit=MAX_DEPTH))
        if len(lines) > MAX_VALUES:
            raise ScreenplayError(path, None, (), say("screenplay.too_many_values", limit=MAX_VALUES))
        if isinstance(node, yaml.SequenceNode):
            todo += [((*place, index), child) for index, child in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, child in node.value:
                line = key.start_mark.line + 1
                if str(key.value) in seen:
                    raise ScreenplayError(path, line, place, say("screenplay.key_twice", key=key.value))
                seen.add(str(key.value))
                todo.append(((*place, str(key.value)), child))
    return lines
