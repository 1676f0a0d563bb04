"""A context that stays useful: what is sent is a view of the whole conversation, never a stump of it.

Rules of this file:

1. The run keeps every turn. Compaction moves a cut: turns before it are not sent any more, but told as
   findings, made anew from all of them each time, never piled up.
2. What is sent begins with the caller's first turn, whole; then the pinned facts, the task where it is
   another turn, and the findings; then the turns from the cut on, whole.
3. The cut stands in front of an assistant turn that follows a user turn, so a call and its result are never
   parted. The last ``keep`` steps stay whole as far as they fit; at least the last one does.
4. It happens at a share of the context budget, not at a number of steps; and not at all where it would not
   make the request smaller. A view that is still too large ends the run by name.
5. Compacting loses information: each time leaves a :class:`Dropped` in the run's log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.loop.transcript import calls_of
from simulator.text import say
from simulator.wire.message import Block, Turn, blocks, canonical_json, of_type, text_of

LINES = 60
"""The most calls that our own findings name; the latest ones."""
LINE = 160
"""Characters that one of them shows of a result."""

Summarise = Callable[[Sequence[Turn]], str]


def estimate(value: object) -> int:
    """Return about how many tokens *value* is: one for every four bytes of its JSON."""
    return len(canonical_json(value).encode("utf-8", "surrogatepass")) // 4 + 1


@dataclass(frozen=True)
class Compaction:
    """When and how a conversation is compacted. Raises ValueError for figures that cannot work."""

    context: int
    """Tokens that a request may have: the model's window less what its answer needs."""
    share: float = 0.6
    """Share of ``context`` at which older turns are told instead of sent."""
    keep: int = 4
    """Steps (an assistant turn and its results) that stay whole."""
    pinned: tuple[str, ...] = ()
    """Facts that stand in every request."""
    summarise: Summarise | None = None
    """Turns to findings; our own list of calls and outcomes where there is none. May ask a model, without
    tools.
    """
    count: Callable[[object], int] = estimate
    """Tokens of a JSON value. Each turn is counted once, when it comes; the request is the sum."""

    def __post_init__(self) -> None:
        if self.context < 1 or not 0 < self.share <= 1 or self.keep < 1:
            raise ValueError(
                f"context {self.context}, share {self.share}, keep {self.keep} cannot work: "
                "give context >= 1, 0 < share <= 1, keep >= 1"
            )


@dataclass(frozen=True, slots=True)
class Dropped:
    """The log of one compaction: what is no longer sent."""

    turns: tuple[int, int]
    """From (included) and to (excluded): indices into the run's ``messages``."""
    calls: tuple[str, ...]
    """Names of the tools whose calls are among them."""
    before: int
    """Estimated tokens of the request before, and after."""
    after: int
    findings: str
    problem: str = ""
    """Why ``summarise`` was not used, where it failed."""


def view(messages: Sequence[Turn], first: int, cut: int, findings: str, pinned: Sequence[str]) -> list[Turn]:
    """Return what is sent of *messages*, of which the first *first* are the caller's (rule 2)."""
    if not messages:
        return []
    return [opening(messages, first, cut, findings, pinned), *messages[max(1, cut) :]]


def opening(messages: Sequence[Turn], first: int, cut: int, findings: str, pinned: Sequence[str]) -> Turn:
    """Return the turn that stands first in what is sent."""
    if not cut:
        return _with_facts(messages[0], pinned) if pinned else messages[0]
    start = messages[0] if messages[0].get("role") == "user" else {"role": "user", "content": []}
    notes = list(pinned)
    task = task_of(messages[:first])
    if task is not None and task is not messages[0]:
        notes.append(say("loop.model.task", task=text_of(task["content"])))
    notes.append(findings)
    return _with_facts(start, notes)


def task_of(messages: Sequence[Turn]) -> Turn | None:
    """Return the caller's last user turn that says something: what is asked."""
    asked = [turn for turn in messages if turn.get("role") == "user" and text_of(turn.get("content")).strip()]
    return asked[-1] if asked else None


def _with_facts(turn: Turn, facts: Sequence[str]) -> Turn:
    added: list[Block] = [{"type": "text", "text": fact} for fact in facts if fact.strip()]
    return {**turn, "content": [*blocks(turn.get("content")), *added]}


def cuts(messages: Sequence[Turn], first: int) -> list[int]:
    """Return every place where the conversation may be cut: in front of a step (rule 3), after the caller's
    turns.
    """
    return [
        index
        for index in range(max(1, first), len(messages))
        if messages[index].get("role") == "assistant" and messages[index - 1].get("role") == "user"
    ]


def choose(places: Sequence[int], now: int, keep: int, fits: Callable[[int], bool]) -> int | None:
    """Return the cut that keeps *keep* steps whole, or fewer until it *fits*; None where none is beyond
    *now*.
    """
    beyond = [place for place in places[max(0, len(places) - keep) :] if place > now]
    return next((place for place in beyond if fits(place)), beyond[-1] if beyond else None)


def findings(turns: Sequence[Turn]) -> str:
    """Return what *turns* brought: each different call with the beginning of its last result, and the
    model's words.
    """
    lines: dict[str, str] = {}
    answers = {
        str(block.get("tool_use_id")): block
        for turn in turns
        if turn.get("role") == "user"
        for block in of_type(turn.get("content"), "tool_result")
    }
    for turn in turns:
        if turn.get("role") != "assistant":
            continue
        said = _short(text_of(turn.get("content")))
        if said:
            lines[said] = said
        for call in calls_of(turn):
            key = f"{call.get('name')}({canonical_json(call.get('input'))})"
            lines.pop(key, None)  # asked again: its place is where it was asked last
            lines[key] = f"{_short(key)}: {_outcome(answers.get(str(call.get('id'))))}"
    shown = list(lines.values())[-LINES:]
    left_out = len(lines) - len(shown)
    head = say("loop.model.findings", left_out=left_out) if left_out else say("loop.model.findings_all")
    return "\n".join([head, *(f"- {line}" for line in shown)])


def _outcome(result: dict[str, Any] | None) -> str:
    text = _short(text_of((result or {}).get("content")))
    return f"{say('loop.model.failed')} {text}" if (result or {}).get("is_error") else text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[:LINE]}…"


def told(turns: Sequence[Turn], summarise: Summarise | None) -> tuple[str, str]:
    """Return the findings of *turns*, and why *summarise* did not make them (empty where it did)."""
    if summarise is None:
        return findings(turns), ""
    try:
        text = summarise(turns)
    except Exception as error:
        return findings(turns), f"{type(error).__name__}: {error}"
    return (text, "") if text.strip() else (findings(turns), say("loop.mistake.empty_summary"))
