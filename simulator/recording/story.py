"""What a cassette says about itself: title, provenance, main line, branches; and what is true without it.

Rules of this file:

1. A cassette of anybody has a story: its title is the file's name, its main line the first conversation,
   its provenance what its answers and headers show. Only a cassette that says so is scripted.
2. ``metadata.scenario`` is somebody's file: every value is checked, and a wrong one is a CassetteError that
   names its place. Keys that are not ours are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from simulator.recording import conditions, effects
from simulator.recording.cassette import CassetteError
from simulator.recording.stops import shorten
from simulator.text import language, say
from simulator.wire.message import conversation

if TYPE_CHECKING:
    from simulator.recording.cassette import Exchange, Recording


@dataclass(frozen=True)
class Provenance:
    """Where a recording comes from: ``scripted`` by hand, or ``recorded`` from a live model."""

    kind: Literal["scripted", "recorded"]
    model: str | None = None
    date: str | None = None
    """As the cassette has it: ``2026-11-30``, or the text of a ``date`` header."""
    origin: str | None = None


@dataclass(frozen=True)
class Branch:
    """A recorded branch: the indices of its exchanges, and the condition by which the first one answers."""

    name: str
    title: str
    exchanges: tuple[int, ...]
    when: dict[str, Any] | None = None


@dataclass(frozen=True)
class Story:
    """Everything about a cassette that is not an exchange. ``main`` and ``exchanges`` index its exchanges."""

    title: str
    text: str
    provenance: Provenance
    main: tuple[int, ...]
    branches: tuple[Branch, ...] = ()
    handlers: tuple[dict[str, Any], ...] = ()
    """What tools do besides: ``{"name", "input", "results": [...], "is_error"?, "tool_use_id"?}``."""
    words: dict[str, list[str]] | None = None
    """Words that a seed may exchange, each with what can stand in its place."""
    resume: tuple[int, int] | None = None
    """Where a loop goes on from what an earlier run left: the exchange with whose answer that ends, and how
    many of its calls have their results.
    """


def read_story(recording: Recording) -> Story:
    """Return the story of *recording*, in the language of the run. Raises CassetteError (rule 2)."""
    given = recording.metadata.get("scenario")
    given = {} if given is None else given
    reader = _Reader(recording)
    if not isinstance(given, dict):
        raise reader.fault("scenario", given, "object")
    return Story(
        title=reader.text(given, "title") or recording.path.stem,
        text=reader.text(given, "story") or "",
        provenance=reader.provenance(given),
        main=reader.indices(given, "main", "scenario.main") or main_line(recording.exchanges),
        branches=tuple(
            reader.branch(each, f"scenario.branches.{n}")
            for n, each in enumerate(reader.table(given, "branches", "scenario.branches"))
        ),
        handlers=tuple(
            reader.handler(each, f"scenario.handlers.{n}")
            for n, each in enumerate(reader.table(given, "handlers", "scenario.handlers"))
        ),
        words=reader.words(given),
        resume=reader.resume(given),
    )


def main_line(exchanges: Sequence[Exchange]) -> tuple[int, ...]:
    """Return the indices of the first conversation: each request of it goes on from the one before."""
    line: list[int] = []
    before: list[Any] = []
    for exchange in exchanges:
        blocks = [
            (turn["role"], block)
            for turn in conversation(exchange.request)["messages"]
            for block in turn["content"]
        ]
        if not line or (len(blocks) > len(before) and blocks[: len(before)] == before):
            line.append(exchange.index)
            before = blocks
    return tuple(line)


@dataclass(frozen=True)
class _Reader:
    """Reads ``metadata.scenario`` of one recording; every method raises CassetteError for a wrong value."""

    recording: Recording

    def fault(self, place: str, seen: object, rule: str) -> CassetteError:
        words = ", ".join(conditions.WORDS)
        rule = say(f"scenario.metadata.{rule}", words=words)
        sentence = say("scenario.metadata.wrong", seen=shorten(seen), rule=rule)
        return CassetteError(self.recording.path, f"metadata.{place}", sentence)

    def text(self, given: dict[str, Any], key: str, place: str = "scenario") -> str | None:
        """The text under *key*, in the language of the run where the cassette has it (``title_es``)."""
        found = given.get(f"{key}_{language()}", given.get(key))
        if found is not None and not isinstance(found, str):
            raise self.fault(f"{place}.{key}", found, "text")
        return found

    def table(self, given: dict[str, Any], key: str, place: str) -> list[dict[str, Any]]:
        found = given.get(key) or []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise self.fault(place, found, "objects")
        return found

    def indices(self, given: dict[str, Any], key: str, place: str) -> tuple[int, ...]:
        found = given.get(key) or []
        count = len(self.recording.exchanges)
        if not isinstance(found, list) or not all(type(n) is int and 0 <= n < count for n in found):
            raise self.fault(place, found, "indices")
        return tuple(found)

    def provenance(self, scenario: dict[str, Any]) -> Provenance:
        given = scenario.get("provenance")
        if given is None:
            return _shown(self.recording.exchanges)
        place = "scenario.provenance"
        if not isinstance(given, dict) or given.get("kind") not in ("scripted", "recorded"):
            raise self.fault(place, given, "provenance")
        # YAML reads an unquoted day as a date; here it is only ever shown.
        date = given.get("date")
        return Provenance(
            kind=given["kind"],
            model=self.text(given, "model", place),
            date=None if date is None else str(date),
            origin=self.text(given, "origin", place),
        )

    def branch(self, given: dict[str, Any], place: str) -> Branch:
        name = self.text(given, "name", place)
        exchanges = self.indices(given, "exchanges", f"{place}.exchanges")
        if not name or not exchanges:
            raise self.fault(place, given, "branch")
        when = given.get("when")
        for path, value in conditions.faults(when) if when is not None else ():
            raise self.fault(f"{place}.{path}", value, "when")
        return Branch(name, self.text(given, "title", place) or name, exchanges, when)

    def resume(self, scenario: dict[str, Any]) -> tuple[int, int] | None:
        given = scenario.get("resume")
        if given is None:
            return None
        wanted: dict[str, Any] = given if isinstance(given, dict) else {}
        exchange, answered = wanted.get("exchange"), wanted.get("answered", 0)
        count = len(self.recording.exchanges)
        if type(exchange) is int and type(answered) is int and 0 <= exchange < count and answered >= 0:
            return exchange, answered
        raise self.fault("scenario.resume", given, "resume")

    def handler(self, given: dict[str, Any], place: str) -> dict[str, Any]:
        results = given.get("results")
        well_formed = (
            isinstance(given.get("name"), str)
            and isinstance(given.get("input"), dict)
            and isinstance(results, list)
            and results
            and all(effects.understood(each) for each in results)
            and isinstance(given.get("tool_use_id", ""), str)
        )
        if not well_formed:
            raise self.fault(place, given, "handler")
        return given

    def words(self, scenario: dict[str, Any]) -> dict[str, list[str]]:
        skin = scenario.get("skin") or {}
        words = skin.get("words") or {} if isinstance(skin, dict) else skin
        if not isinstance(words, dict) or not all(
            isinstance(word, str) and word and _is_texts(choices) for word, choices in words.items()
        ):
            raise self.fault("scenario.skin.words", words, "words")
        return words


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each for each in value)


def _shown(exchanges: Sequence[Exchange]) -> Provenance:
    """What the answers of a cassette without a story show about where they come from."""
    messages = (exchange.message for exchange in exchanges if exchange.message is not None)
    model = next((str(message["model"]) for message in messages if message.get("model")), None)
    dates = (exchange.headers.get("date") for exchange in exchanges)
    return Provenance("recorded", model, next((date for date in dates if date), None))
