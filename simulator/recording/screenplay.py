"""Read a screenplay: the readable YAML file from which a cassette is recorded without a live model.

Rules of this file:

1. A screenplay holds a conversation as one would tell it: the task, the model's answers in order (``turns``)
   with the results of their calls, and ``branches``: other conversations that fork off after one answer.
2. ``screenplay.schema.json`` says what may be written; the checks below say what the schema cannot: that
   references lead somewhere, that tools are on offer, that each call has its result.
3. Texts are taken as they stand. Nothing is filled in that the file does not say.

Faults are data, too. Of a tool, as ``result``: ``{error: text}`` and what ``recording.effects`` lists (a
value, hangs, slow, interrupt, repeat). Of the model: ``blocks`` (raw content, ``[]`` for none), ``usage``,
``wrong: true`` for a call or a stop_reason that is wrong on purpose. Of the API: ``error`` in place of an
answer (several in a row answer in order, the last one repeats), ``broken`` for a stream that breaks off.
CONTRIBUTING.md shows each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from simulator.recording.effects import words
from simulator.recording.marked import Marked, Place, ScreenplayError, read
from simulator.recording.refusals import first_refusal

__all__ = ["Branch", "Call", "Result", "Screenplay", "ScreenplayError", "Turn", "load", "schema"]

Reference = tuple[str | None, int]
"""An answer: (branch name, None for the main line; its number there, from 1). ``(None, 0)`` is before any."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back: a text or a list of texts (text blocks), and whether it is an error.

    ``effect`` is what its handler does instead of returning that, ``content`` None where nothing came back.
    """

    content: str | list[str] | None
    is_error: bool = False
    effect: dict[str, Any] | None = None

    @property
    def acts(self) -> bool:
        """Whether its handler does something that no text shows."""
        return self.effect is not None and "repeat" not in self.effect

    def block(self, tool_use_id: str) -> dict[str, Any]:
        """Return the ``tool_result`` block that answers *tool_use_id*."""
        texts = self.content if self.content is not None else ""
        content = texts if isinstance(texts, str) else [{"type": "text", "text": text} for text in texts]
        block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
        return {**block, "is_error": True} if self.is_error else block


@dataclass(frozen=True, slots=True)
class Call:
    """One ``tool_use`` of an answer, and its result where the file gives one. ``wrong``: on purpose."""

    tool: str
    input: dict[str, Any]
    result: Result | None
    wrong: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model, or the API's ``error``; ``says`` is the user's text after it.

    ``cut``: the answer is cut where ``max_tokens`` is reached. ``rest``: ``text`` is the whole of which the
    answer before said the beginning, and this one says what is left. ``blocks`` stand in front of the text.
    ``wrong``: the stop_reason is, on purpose. ``broken``: the first stream of it breaks off there.
    ``interleaved``: streamed, its calls arrive in turns.
    """

    place: Place
    blocks: list[dict[str, Any]]
    text: str | None
    calls: tuple[Call, ...]
    stop: str
    cut: bool
    rest: bool
    says: str | None
    stream: bool
    error: dict[str, Any] | None
    wrong: bool
    usage: dict[str, Any]
    broken: dict[str, Any] | None
    interleaved: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """Another conversation: it forks after the answer ``start`` and goes on with ``turns`` of its own.

    ``results`` are the results of that answer's calls here (None: as recorded); ``says`` what the user turn
    says besides; ``ask`` parameters that differ; ``when`` the condition by which it answers other requests,
    after any answer where it is ``unbound``; ``answer`` the answer written elsewhere that is given, where it
    has no turns.
    """

    place: Place
    name: str
    titles: dict[str, str]
    start: Reference
    results: tuple[Result | None, ...] | None
    swap: bool
    says: str | None
    ask: dict[str, Any]
    when: dict[str, Any] | None
    unbound: bool
    turns: tuple[Turn, ...]
    answer: Reference | None


@dataclass(frozen=True, slots=True)
class Screenplay:
    """A whole screenplay; ``name`` is the stem of its file, ``texts`` are titles and stories by key."""

    source: Marked
    name: str
    texts: dict[str, str]
    written: str
    model: str
    max_tokens: int
    task: str
    system: str | None
    tools: list[dict[str, Any]]
    skin: dict[str, list[str]]
    turns: tuple[Turn, ...]
    branches: tuple[Branch, ...] = field(default=())
    resume: tuple[int, int] | None = None
    """What the loop is given, if more than the task: up to which answer, how many of its calls answered."""

    def turn(self, reference: Reference) -> Turn | None:
        """Return the answer at *reference*, or None when there is none."""
        name, number = reference
        turns: Sequence[Turn] = self.turns
        if name is not None:
            turns = next((branch.turns for branch in self.branches if branch.name == name), ())
        return turns[number - 1] if 1 <= number <= len(turns) else None


def load(path: Path) -> Screenplay:
    """Return the screenplay in the file *path*. Raises ScreenplayError with the first thing wrong in it."""
    source = read(path)
    refusal = first_refusal(source, schema())
    if refusal is not None:
        raise refusal
    return _screenplay(source)


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a screenplay."""
    text = (Path(__file__).parent / "screenplay.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _screenplay(source: Marked) -> Screenplay:
    given = source.value
    stream = bool(given.get("stream", False))
    branches: list[Branch] = []
    for branch in _each(("branches",), given.get("branches", [])):
        branches.append(_branch(*branch, stream, {made.name: len(made.turns) for made in branches}))
    return Screenplay(
        source=source,
        name=source.path.stem,
        texts={key: given[key] for key in ("title", "title_es", "story", "story_es")},
        written=given["written"],
        model=given["model"],
        max_tokens=given.get("max_tokens", 1024),
        task=given["task"],
        system=given.get("system"),
        tools=given.get("tools", []),
        skin=given.get("skin", {}),
        turns=_turns(("turns",), given["turns"], stream),
        branches=tuple(branches),
        resume=(resume["after"], resume.get("answered", 0)) if (resume := given.get("resume")) else None,
    )


def _branch(place: Place, given: dict[str, Any], stream: bool, lengths: dict[str, int]) -> Branch:
    return Branch(
        place=place,
        name=given["name"],
        titles={"title": given["title"], "title_es": given["title_es"]},
        start=_reference(given["from"], lengths),
        results=tuple(map(_result, given["results"])) if "results" in given else None,
        swap=given.get("swap", False),
        says=given.get("says"),
        ask=given.get("ask", {}),
        when=given.get("when"),
        unbound=given.get("unbound", False),
        turns=_turns((*place, "turns"), given.get("turns", []), stream),
        answer=_reference(given["answer"], lengths) if "answer" in given else None,
    )


def _turns(place: Place, given: list[dict[str, Any]], stream: bool) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            place=here,
            blocks=turn.get("blocks", []),
            text=turn.get("text"),
            calls=tuple(map(_call, turn.get("calls", []))),
            stop=turn.get("stop", "tool_use" if "calls" in turn else "end_turn"),
            cut=turn.get("cut", False),
            rest=turn.get("rest", False),
            says=turn.get("says"),
            stream=turn.get("stream", stream),
            error=turn.get("error"),
            wrong=turn.get("wrong", False),
            usage=turn.get("usage", {}),
            broken=turn.get("broken"),
            interleaved=turn.get("interleaved", False),
        )
        for here, turn in _each(place, given)
    )


def _call(given: dict[str, Any]) -> Call:
    return Call(given["tool"], given["input"], _result(given.get("result")), given.get("wrong", False))


def _result(given: Any) -> Result | None:
    if not isinstance(given, dict):
        return None if given is None else Result(given)
    text, is_error = words(given)
    return Result(text, is_error, None if given.keys() == {"error"} else given)


def _reference(given: int | str, lengths: dict[str, int]) -> Reference:
    """Return what ``2``, ``branch`` or ``branch.1`` refers to; an unknown branch has no answer 1."""
    if isinstance(given, int):
        return None, given
    name, _, number = given.partition(".")
    return name, int(number) if number else max(1, lengths.get(name, 1))


def _each(place: Place, given: list[dict[str, Any]]) -> Iterator[tuple[Place, dict[str, Any]]]:
    for index, item in enumerate(given):
        yield (*place, index), item
