"""What a tool of a scenario does besides giving back a text: faults, written as data.

=================================  =========================================================================
``{value: JSON}``                  the handler returns that very value: null, [], {}, 0, ""
``{hangs: true}``                  the handler does not return before the run is over
``{slow: seconds, text: …}``       it takes that long (``time.sleep``)
``{interrupt: true}``              Ctrl-C is pressed while it runs: KeyboardInterrupt, the first time only
``{repeat: text, characters: n}``  a text of n characters
=================================  =========================================================================

With ``hangs``, ``slow`` and ``interrupt`` a ``text`` or an ``error`` says what comes of the call in the end;
with ``value`` a ``text`` says how a conversation tells of it (else its JSON does).

Rules of this file:

1. A screenplay (``result:`` of a call) and a cassette (``metadata.scenario.handlers``) write them alike.
2. A handler that hangs wakes up several times a second, so that Ctrl-C and a deadline reach it. It is let go
   when its run is over, and after :data:`PATIENCE` seconds in any case: no thread is left for ever.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

from simulator.recording.mint import compact

PATIENCE = 60.0
"""Seconds after which a handler that hangs is let go, whatever became of its run."""

_BEAT = 0.05
_BESIDE = {
    "value": {"text"},
    "hangs": {"text", "error"},
    "slow": {"text", "error"},
    "interrupt": {"text", "error"},
    "repeat": {"characters"},
}


@dataclass(frozen=True)
class Result:
    """What one call of a handler comes to: *content* is returned or, where *is_error*, raised."""

    content: Any
    is_error: bool = False
    act: Literal["", "hangs", "slow", "interrupt"] = ""
    seconds: float = 0.0

    def happen(self, over: threading.Event) -> None:
        """Do what comes before the content; *over* is set when the run is. Raises KeyboardInterrupt."""
        match self.act:
            case "hangs":
                _hang(over, self.seconds)
            case "slow":
                time.sleep(self.seconds)
            case "interrupt":
                raise KeyboardInterrupt
            case _:
                pass


def understood(given: object) -> bool:
    """Return whether *given*, a result of a cassette's metadata, is a text, a list, or a known effect."""
    if not isinstance(given, dict):
        return True
    kinds = given.keys() & _BESIDE.keys()
    if len(kinds) != 1 or not all(isinstance(given.get(key, ""), str) for key in ("text", "error", "repeat")):
        return False
    (kind,) = kinds
    beside = given.keys() - kinds
    fits = {
        "value": True,
        "hangs": given[kind] is True,
        "slow": type(given[kind]) in (int, float) and given[kind] > 0,
        "interrupt": given[kind] is True,
        "repeat": bool(given[kind]) and type(given.get("characters")) is int and given["characters"] > 0,
    }
    return fits[kind] and beside <= _BESIDE[kind] and len(beside) < 2


def words(effect: dict[str, Any]) -> tuple[str | None, bool]:
    """Return what a conversation tells of *effect*, and whether as an error; None where nobody wrote it."""
    match effect:
        case {"error": str(text)}:
            return text, True
        case {"text": str(text)} | {"value": str(text)}:
            return text, False
        case {"value": value}:
            return compact(value), False
        case {"repeat": str(text), "characters": int(length)}:
            return (text * (length // len(text) + 1))[:length], False
        case _:
            return None, False


def in_order(given: Any, *, failed: bool) -> list[Result]:
    """Return what *given*, a result of the metadata, has the handler do, one call after another."""
    if not isinstance(given, dict):
        return [Result(given, failed)]
    text, is_error = words(given)
    match given:
        case {"value": value}:
            return [Result(value)]
        case {"hangs": _}:
            return [Result(text or "", is_error, "hangs", PATIENCE)]
        case {"slow": seconds}:
            return [Result(text or "", is_error, "slow", seconds)]
        case {"interrupt": _}:
            return [Result("", False, "interrupt"), Result(text or "", is_error)]
        case _:
            return [Result(text)]


def _hang(over: threading.Event, seconds: float) -> None:
    # Counted, not timed: in the gate the clocks are ahead by what was slept.
    for _ in range(round(seconds / _BEAT)):
        if over.wait(_BEAT):
            return
