"""The same conversation with other ids and other words, so that nobody can answer by heart.

A seed gives every ``tool_use``, message and request id a new value, and exchanges the words that the cassette
names (``metadata.scenario.skin.words``: a file name, a figure), everywhere alike: requests, answers, the
events of streams, conditions, further results of tools. A request stays the one its answer was recorded for.

Rules of this file:

1. The same seed gives the same bytes on every system; no random generator is used, only SHA-256.
2. All exchanges happen at once, so one word's new value is never taken for another word.
3. A new word must not occur in the cassette already, nor be chosen twice: what was different stays different.
4. A word is exchanged where it stands alone, not inside a longer one. What the API itself reads (``type``,
   ``role``, ``model`` …), names of tools, signatures and data are left as they are.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simulator.recording.cassette import CassetteError, Exchange, Recording
from simulator.text import say
from simulator.wire.interleave import interleave, is_interleaved
from simulator.wire.message import digest
from simulator.wire.stream import Event, StreamError, assemble, from_sse, to_events, to_sse

if TYPE_CHECKING:
    from simulator.recording.story import Story

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ID_CHARACTERS = 22

_KEPT = frozenset({"type", "role", "model", "stop_reason", "name", "media_type", "signature", "data"})
"""Keys whose text is never touched (rule 4)."""

_ID_KEYS = frozenset({"id", "tool_use_id", "request_id"})

Change = Callable[[str], str]


def reskin(recording: Recording, story: Story, seed: int) -> Recording:
    """Return *recording* as *seed* dresses it. Raises CassetteError when its words leave no choice."""
    ids = _new_ids(recording, seed)
    words = _new_words(recording, story, seed)
    pattern = _pattern([*ids, *words])
    new = ids | words

    def change(text: str) -> str:
        return pattern.sub(lambda found: new[found.group()], text)

    scenario = recording.metadata.get("scenario") or {}
    dressed = {key: _changed(value, change) for key, value in scenario.items() if key != "skin"}
    exchanges = tuple(_exchange(each, change) for each in recording.exchanges)
    return dataclasses.replace(
        recording,
        exchanges=tuple(_broken_alike(each, recording.exchanges, exchanges) for each in exchanges),
        metadata=recording.metadata | {"scenario": dressed},
    )


def _broken_alike(new: Exchange, before: Sequence[Exchange], after: Sequence[Exchange]) -> Exchange:
    """Return *new*, a stream that breaks off, as the start of what the whole answer has become.

    In its own deltas a word can be split, so it is streamed anew where its whole answer is known: the one to
    the same conversation whose first events it has.
    """
    if new.complete or not new.streamed:
        return new
    events = from_sse(before[new.index].raw)
    arrived = [event for event in events if event.get("type") != "error"]
    for whole in before:
        message = whole.message
        if message is not None and digest(whole.request) == digest(before[new.index].request):
            own = _ids_of_start(events)
            if to_events(message | own)[: len(arrived)] == arrived:
                dressed = after[whole.index].message or message
                again = to_events(dressed | _ids_of_start(from_sse(new.raw)))[: len(arrived)]
                return dataclasses.replace(new, raw=to_sse([*again, *from_sse(new.raw)[len(arrived) :]]))
    return new


def _ids_of_start(events: Sequence[Event]) -> dict[str, Any]:
    """Return the id of the message that *events* start, as ``{"id": …}``; {} where there is none."""
    start = events[0].get("message") if events else None
    return {"id": start["id"]} if isinstance(start, dict) and "id" in start else {}


def _exchange(exchange: Exchange, change: Change) -> Exchange:
    message = _changed(exchange.message, change)
    return dataclasses.replace(
        exchange,
        request=_changed(exchange.request, change),
        headers={name: change(value) for name, value in exchange.headers.items()},
        message=message,
        error=_changed(exchange.error, change),
        raw=_stream(exchange, message, change) if exchange.streamed else _json(exchange.raw, change),
    )


def _stream(exchange: Exchange, message: dict[str, Any] | None, change: Change) -> bytes:
    """Return the stream with its events changed; streamed anew where a word was split between two events."""
    events = from_sse(exchange.raw)
    raw = to_sse(_changed(event, change) for event in events)
    if message is not None and _assembled(raw) != message:
        again = to_events(message)
        return to_sse(interleave(again) if is_interleaved(events) else again)
    return raw


def _assembled(raw: bytes) -> dict[str, Any] | None:
    try:
        return assemble(raw).message
    except StreamError:
        return None


def _json(raw: bytes, change: Change) -> bytes:
    try:
        value = json.loads(raw)
    except ValueError:
        return raw  # An error page of a proxy, say: it holds no ids of ours.
    changed = json.dumps(_changed(value, change), ensure_ascii=False, separators=(",", ":"))
    return changed.encode("utf-8", "surrogatepass")


def _changed(value: Any, change: Change) -> Any:
    """Return *value* with every text in it changed, but for those under kept keys (rule 4)."""
    match value:
        case str():
            return change(value)
        case list():
            return [_changed(each, change) for each in value]
        case {"value": given, **rest} if rest.keys() <= {"text"}:
            # What a tool returns is no block of the API: in it every text counts.
            return {"value": _everywhere(given, change)} | _changed(rest, change)
        case dict():
            return {
                key: each if key in _KEPT and isinstance(each, str) else _changed(each, change)
                for key, each in value.items()
            }
        case _:
            return value


def _everywhere(value: Any, change: Change) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_everywhere(each, change) for each in value]
        case dict():
            return {key: _everywhere(each, change) for key, each in value.items()}
        case _:
            return value


def _new_ids(recording: Recording, seed: int) -> dict[str, str]:
    """Return the new value of every id: its prefix, and 22 characters made of the seed and the old id."""
    old: set[str] = set()
    for exchange in recording.exchanges:
        old |= set(_ids(exchange.request.get("messages")))
        old |= set(_ids(exchange.message))
        old |= {exchange.headers[name] for name in ("request-id",) if exchange.headers.get(name)}
    return {each: _prefix(each) + _characters(f"{seed}:{each}") for each in sorted(old)}


def _ids(value: Any) -> Iterator[str]:
    """Yield the ids in *value*; a tool's own input is not looked into."""
    if isinstance(value, list):
        for each in value:
            yield from _ids(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in _ID_KEYS and isinstance(each, str) and each:
                yield each
            elif key != "input":
                yield from _ids(each)


def _prefix(old: str) -> str:
    found = re.match(r"[A-Za-z]+_(?:vrtx_|bdrk_)?(?:01)?", old)
    return found.group() if found else "id_"


def _characters(text: str) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    drawn = []
    for _ in range(_ID_CHARACTERS):
        number, at = divmod(number, len(_ALPHABET))
        drawn.append(_ALPHABET[at])
    return "".join(drawn)


def _new_words(recording: Recording, story: Story, seed: int) -> dict[str, str]:
    """Return the new value of every word, chosen by the seed among those that are free (rule 3)."""
    chosen: dict[str, str] = {}
    words = story.words or {}
    alone = _pattern(each for choices in words.values() for each in choices)
    seen = [(exchange.request, exchange.message) for exchange in recording.exchanges]
    taken = {found for text in _texts([*seen, story.handlers]) for found in alone.findall(text)}
    for word, choices in sorted(words.items()):
        free = [each for each in choices if each == word or each not in taken | set(chosen.values())]
        if not free:
            raise CassetteError(
                recording.path, f"metadata.scenario.skin.words.{word}", say("scenario.skin.taken", word=word)
            )
        number = int.from_bytes(hashlib.sha256(f"{seed}:{word}".encode()).digest(), "big")
        chosen[word] = free[number % len(free)]
    return chosen


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of any of *words* standing alone, longest first; without words it never matches."""
    listed = "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)" if listed else r"(?!)")
