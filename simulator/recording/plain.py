"""Values out of a cassette held against what JSON can be, and ordinary code can walk."""

from __future__ import annotations

from datetime import date
from typing import Any

from simulator.recording.safe_yaml import Tagged
from simulator.text import say
from simulator.text.visible import visible

MAX_DEPTH = 100
"""Most objects and lists inside one another in a body; more and ordinary recursive code would give up."""


class ContentError(ValueError):
    """What is wrong with an exchange, as a sentence; the caller knows the file and the place."""


def plain(value: Any) -> Any:
    """Return a copy of *value* as JSON could hold it, dates as ISO text. Raises ContentError for the rest."""
    match value:
        case Tagged():
            raise ContentError(say("cassette.tag", tag=visible(value.tag[:80]), line=value.line))
        case None | bool() | int() | float() | str():
            return value
        case date():  # a datetime is one too
            return value.isoformat()
        case list():
            return [plain(item) for item in value]
        case dict():
            if strange := [key for key in value if not isinstance(key, str)]:
                raise ContentError(say("cassette.not_json_key", seen=visible(str(strange[0])[:40])))
            return {str(key): plain(item) for key, item in value.items()}
        case _:
            raise ContentError(say("cassette.not_json_value", seen=type(value).__name__))


def deeper_than(value: Any, limit: int) -> bool:
    """Say whether *value* nests deeper than *limit*, level by level and so without recursion."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        level = [
            item
            for holder in level
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return False
    return True


def refuse_tags(value: Any) -> None:
    """Raise ContentError for the first tagged value in *value*."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Tagged() as tagged:
                raise ContentError(say("cassette.tag", tag=visible(tagged.tag[:80]), line=tagged.line))
            case list() as items:
                waiting += items
            case dict() as items:
                waiting += [*items.keys(), *items.values()]
            case _:
                pass
