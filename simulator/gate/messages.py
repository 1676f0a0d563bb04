"""What the gate says of what it found: a title, what was seen, the rule, what to do next, and where.

Rules of this file:

1. Every sentence comes from a catalogue: a judgement's own from that of its module, the rest from ``gate``.
2. What a loop or a recording said passes through ``visible`` and is cut: an exception may bring a page along.
3. The same report gives the same words, whatever shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.gate.judge import EXPLAINED, Found
from simulator.gate.judgements.ending import show
from simulator.gate.judgements.reading import clip
from simulator.gate.probe import Case, Probe
from simulator.gate.problems import Problem
from simulator.gate.ran import Loop
from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.events import Request

FACT = 300
"""Characters of a fact that a sentence shows."""

PARTS = ("saw", "rule", "remedy")
"""The three sentences of a finding, in reading order."""


@dataclass(frozen=True, slots=True)
class Message:
    """The words on one probe."""

    title: str
    parts: dict[str, str]
    """``saw``, ``rule`` and ``remedy`` of a finding, or ``why`` alone; empty for a pass."""
    where: str
    """Scenario, options, request and line; empty for a pass."""
    line: int | None
    """Line of the loop's own source."""


def message(found: Found, loop: Loop | None, lang: str | None = None) -> Message:
    """Return the words on *found*."""
    heading = title(found.probe, lang)
    if found.state == "pass":
        return Message(heading, {}, "", None)
    line = line_of(found)
    return Message(heading, _parts(found, lang), _where(found, line, loop, lang), line)


def title(probe: Probe, lang: str | None = None) -> str:
    """Return what *probe* claims of a loop."""
    return say(f"{probe.id}.title", lang)


def sentence(problem: Problem, lang: str | None = None) -> str:
    """Return the one sentence on *problem*."""
    return say(problem.code, lang, **_shown(problem.facts))


def line_of(found: Found) -> int | None:
    """Return the line of the loop's source that *found* is about, where the trace knows one."""
    if found.trace is None:
        frames = found.problem.frames if found.problem else ()
        return frames[-1].line if frames else None
    end = found.trace.exit
    if found.finding.startswith("gate.end.") and end.traceback:
        return int(end.traceback[-1]["line"])
    asked = [step.event for step in found.trace.requests]
    lines = [one.line for one in asked if isinstance(one, Request) and one.turn == found.turn]
    return lines[0] if lines else end.line


def called_with(case: Case, loop: Loop | None) -> dict[str, Any]:
    """Return the options of *case* by the names that the loop has for them."""
    offers = loop.offers if loop else {}
    named = {wish.removesuffix("?"): (wish, value) for wish, value in case.options.items()}
    return {
        offers.get(option) or option: value
        for option, (wish, value) in named.items()
        if offers.get(option) or not wish.endswith("?")
    }


def _parts(found: Found, lang: str | None) -> dict[str, str]:
    facts = _shown({"turn": found.turn, **found.facts})
    if found.state == "not-applicable" or found.finding == EXPLAINED:
        return {"why": say(f"{found.finding}.why", lang, **facts)}
    return {part: say(f"{found.finding}.{part}", lang, **facts) for part in PARTS}


def _where(found: Found, line: int | None, loop: Loop | None, lang: str | None) -> str:
    case = found.case
    said = [say("gate.where.scenario", lang, scenario=case.scenario)]
    given = ", ".join(f"{name}={clip(show(value), 60)}" for name, value in called_with(case, loop).items())
    if given:
        said.append(say("gate.where.options", lang, options=given))
    said += [say("gate.where.what_if", lang, turn=n, signal=signal) for n, signal in case.what_if.items()]
    if found.turn is not None:
        said.append(say("gate.where.request", lang, request=found.turn))
    if line is not None and loop is not None:
        said.append(say("gate.where.line", lang, line=line, file=Path(loop.file).name))
    return visible(", ".join(said))


def _shown(facts: Mapping[str, object]) -> dict[str, str]:
    return {
        name: visible(clip(value if isinstance(value, str) else show(value), FACT))
        for name, value in facts.items()
    }
