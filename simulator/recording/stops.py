"""The ways in which the simulator itself ends a run: each names what it met and what to look at.

Rules of this file:

1. A stop is a ``BaseException``: neither ``except Exception`` in a loop nor the SDK's own handler turns it
   into "Connection error". It says nothing about the loop's Python; it says the recording cannot go on.
2. A stop carries its evidence as attributes; its sentence is made from them, in the language of the run.
3. ``reason`` is one of the reasons of ``trace.events``.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from simulator.text import say
from simulator.text.visible import visible
from simulator.wire.message import ABSENT, canonical_json

SHOWN = 80
"""Characters of a value that a sentence shows."""


class SimulatorStop(BaseException):
    """The simulator ended the run. Once raised, every later request of the run raises the same stop."""

    reason: ClassVar[str]


class OffScript(SimulatorStop):
    """A lawful request that nobody recorded.

    ``turn`` is its number in the run, from 1. ``nearest`` is the index of the recorded request that shares
    the most with it, ``path`` the first place where the two differ (indices as in API errors, after merging),
    ``expected`` and ``actual`` the recorded and the sent value. All four are None for another endpoint.
    """

    reason: ClassVar[str] = "off_script"

    def __init__(
        self,
        sentence: str,
        *,
        turn: int,
        nearest: int | None = None,
        path: str | None = None,
        expected: object = None,
        actual: object = None,
    ) -> None:
        super().__init__(sentence)
        self.turn, self.nearest, self.path = turn, nearest, path
        self.expected, self.actual = expected, actual

    @classmethod
    def differing(
        cls, *, turn: int, nearest: int, path: str, expected: object, actual: object, merged: bool
    ) -> OffScript:
        """Return the stop for a request that first differs from recorded request *nearest* at *path*.

        *merged* says that the request holds neighbours of one role, so that its own indices are others.
        """
        recorded, sent = excerpts(expected, actual)
        values = {"turn": turn, "nearest": nearest, "path": path, "recorded": recorded, "sent": sent}
        sentence = say("replay.off_script", **values)
        if merged:
            sentence += f" {say('replay.merged')}"
        return cls(sentence, turn=turn, nearest=nearest, path=path, expected=expected, actual=actual)

    @classmethod
    def endpoint(cls, turn: int, method: str, path: str) -> OffScript:
        """Return the stop for a request to an endpoint that no cassette of ours holds."""
        return cls(say("replay.endpoint", method=method, path=visible(path)), turn=turn)


class RunawayLoop(SimulatorStop):
    """The loop asked once more than the cap allows.

    ``requests`` is how many it sent, the stopped one included; ``cap`` how many were allowed.
    ``repeated_turn`` is the number of the request whose conversation was sent most often, ``times`` how
    often; None and 1 when no request was sent twice.
    """

    reason: ClassVar[str] = "runaway"

    def __init__(self, *, requests: int, cap: int, repeated_turn: int | None, times: int) -> None:
        what = "replay.runaway.fresh" if repeated_turn is None else "replay.runaway.repeated"
        super().__init__(say(what, requests=requests, cap=cap, turn=repeated_turn, times=times))
        self.requests, self.cap, self.repeated_turn, self.times = requests, cap, repeated_turn, times


class RecordingEnds(SimulatorStop):
    """A handler was called as nobody recorded it: ``name``, ``input``; ``recorded``: the inputs there are."""

    reason: ClassVar[str] = "recording_ends"

    def __init__(self, name: str, given: dict[str, Any], recorded: list[Any]) -> None:
        what = "replay.ends.other" if recorded else "replay.ends.none"
        shown = ", ".join(shorten(each) for each in recorded[:3])
        super().__init__(say(what, name=visible(name), input=shorten(given), recorded=shown))
        self.name, self.input, self.recorded = name, given, recorded


def shorten(value: object, limit: int = SHOWN) -> str:
    """Return *value* as one line of at most *limit* characters, safe to print; JSON but for "(absent)"."""
    text = _text(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def excerpts(left: object, right: object, limit: int = SHOWN) -> tuple[str, str]:
    """Return both values shortened to the stretch where they begin to differ."""
    one, other = _text(left), _text(right)
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    # A quarter of what is shown leads up to the difference, so that the place can be recognised.
    start = max(0, same - limit // 4) if max(len(one), len(other)) > limit else 0
    return _window(one, start, limit), _window(other, start, limit)


def _window(text: str, start: int, limit: int) -> str:
    piece = text[start : start + limit]
    return ("…" if start else "") + piece + ("…" if start + limit < len(text) else "")


def _text(value: object) -> str:
    if value is ABSENT:
        return say("replay.absent")
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else canonical_json(value)
    return visible(text)
