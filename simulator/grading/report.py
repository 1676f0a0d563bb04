"""A result in words: one readable page of what was run, what happened, what was expected, where to look next.

Rules of this file:

1. A page has at most about ``LINES`` lines and needs no colour.
2. No traceback, unless the learner's own code raised; then only the learner's own lines.
   A command stands on a line of its own, unbroken, so that it can be copied.
3. Every sentence comes from the catalogue; every recorded or printed text passes through ``visible``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from simulator.gate.judgements.ending import show
from simulator.gate.judgements.reading import clip, exchanges
from simulator.grading.catalogue import Kata
from simulator.grading.checks import first_failure, test_names
from simulator.grading.results import Result
from simulator.grading.transcript import WIDTH, transcript
from simulator.text import language, say
from simulator.text.visible import visible

LINES = 40
"""Lines of a page."""

PARTS = ("ran", "happened", "expected", "look")
"""The parts of every message, in reading order."""

FACT = 500
"""Characters of a fact that a message shows; an exception may bring a whole page along."""

PRINTED = 4
"""Lines of the loop's own output that a page shows."""

ASCII = {"→": "->", "…": "...", "·": "-", "“": '"', "”": '"', "«": '"', "»": '"', "’": "'", "≤": "<="}
"""What stands in for a character that a terminal cannot write."""


def page(result: Result, kata: Kata, seed: int, lang: str | None = None) -> str:
    """Return the page for a result that is not a pass."""
    tongue = language(lang)
    facts = _facts(result, kata, seed, tongue)
    lines = [f"{result.message}  {sentence(result, 'title', tongue, facts)}", ""]
    for part in PARTS:
        lines += _part(say(f"grading.part.{part}", tongue), _words(result, part, tongue, facts))
    lines += _ignored(result, tongue)
    lines += _commands(result, tongue)
    lines += _further(result, tongue)
    lines += _frames(result, tongue)
    lines += _printed(result, tongue)
    trace = result.outcome.trace if result.outcome else None
    if trace is not None and trace.requests:
        lines += ["", "  " + say("grading.part.transcript", tongue, scenario=result.scenario)]
        lines += ["  " + line for line in transcript(trace, result.turn, LINES - len(lines), tongue)]
    return "\n".join(lines)


def sentence(result: Result, part: str, lang: str, facts: dict[str, Any]) -> str:
    """Return one part of the message of *result*: a kata's own, or one of the grader's."""
    room = "grading" if result.message.startswith("G-") else "katas"
    return say(f"{room}.{result.message}.{part}", lang, **facts)


def headline(result: Result, kata: Kata, seed: int, lang: str | None = None) -> str:
    """Return the result in one line: message id and title."""
    tongue = language(lang)
    return f"{result.message}  {sentence(result, 'title', tongue, _facts(result, kata, seed, tongue))}"


def parts(result: Result, kata: Kata, seed: int, lang: str | None = None) -> dict[str, str]:
    """Return the message of *result* in its parts, for programs."""
    tongue = language(lang)
    facts = _facts(result, kata, seed, tongue)
    found = {"title": sentence(result, "title", tongue, facts)}
    return found | {part: _words(result, part, tongue, facts) for part in PARTS}


def printable(text: str, encoding: str | None) -> str:
    """Return *text* so that a terminal with *encoding* can write it."""
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        for character, plain in ASCII.items():
            text = text.replace(character, plain)
        return text.encode(encoding or "ascii", "replace").decode(encoding or "ascii", "replace")
    return text


def _words(result: Result, part: str, lang: str, facts: dict[str, Any]) -> str:
    if part != "ran":
        return sentence(result, part, lang, facts)
    if result.ran:
        return say(result.ran, lang, **facts)
    arguments = ", ".join(f"{name}={value!r}" for name, value in facts["arguments"].items())
    about = {"scenario": facts["scenario"], "seed": facts["seed"], "arguments": arguments}
    return say("grading.ran_with" if arguments else "grading.ran", lang, **about)


def _facts(result: Result, kata: Kata, seed: int, lang: str) -> dict[str, Any]:
    trace = result.outcome.trace if result.outcome else None
    asked = exchanges(trace) if trace else []
    line = next((one.request.line for one in asked if one.turn == result.turn), None)
    known: dict[str, Any] = {
        "scenario": result.scenario,
        "seed": seed,
        "kata": kata.slug,
        "number": kata.number,
        "turn": result.turn,
        "arguments": kata.arguments,
        "where": say("grading.where.line", lang, line=line) if line else say("grading.where.file", lang),
        "requests": len(asked),
    }
    stated = {
        name: visible(_shown(value(lang) if callable(value) else value))
        for name, value in result.facts.items()
    }
    return known | stated


def _shown(value: Any) -> str:
    return clip(value if isinstance(value, str) else show(value), FACT)


def _part(label: str, text: str) -> list[str]:
    indent = " " * 14
    wrapped = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False) or [""]
    return [f"  {label:<12}{wrapped[0]}", *(indent + line for line in wrapped[1:])]


def _ignored(result: Result, lang: str) -> list[str]:
    """Return what to say of a loop that swallowed the grader's stop and asked again."""
    trace = result.outcome.trace if result.outcome else None
    if trace is None or not trace.exit.ignored:
        return []
    return _part(say("grading.part.besides", lang), say("grading.ignored", lang))


def _commands(result: Result, lang: str) -> list[str]:
    lines = []
    for key, command in result.commands:
        lines += ["", "  " + say(f"grading.part.{key}", lang), f"      {command}"]
    return lines


def _further(result: Result, lang: str) -> list[str]:
    lines = result.further(lang) if result.further is not None else []
    return (
        ["", "  " + say("grading.part.further", lang), *(f"      {line}" for line in lines)] if lines else []
    )


def _frames(result: Result, lang: str) -> list[str]:
    if not result.frames:
        return []
    shown = [
        f"      {frame.line:>4} | {clip(visible(frame.text), WIDTH - 14)}"
        for frame in _unrepeated(result.frames)
    ]
    return ["", "  " + say("grading.part.frames", lang), *shown[-6:]]


def _unrepeated(frames: Iterable[Any]) -> list[Any]:
    """Return *frames* without the middle of a deep recursion."""
    kept: list[Any] = []
    for frame in frames:
        if frame not in kept:
            kept.append(frame)
    return kept


def _printed(result: Result, lang: str) -> list[str]:
    outcome = result.outcome
    if outcome is None or not outcome.printed.strip():
        return []
    lines = [clip(visible(line), WIDTH - 8) for line in outcome.printed.splitlines() if line.strip()]
    shown = [f"      | {line}" for line in lines[:PRINTED]]
    count = outcome.printed_count
    key = "printed" if len(lines) <= PRINTED and count == len(outcome.printed) else "printed_more"
    return ["", "  " + say(f"grading.part.{key}", lang, count=count), *shown]


def passed(kata: Kata, results: list[Result]) -> bool:
    """True when every test of *kata* was made, and held."""
    held = {one.test for one in results if one.state == "pass"}
    return held >= set(test_names(kata.test)) and all(one.state == "pass" for one in results)


def summary(kata: Kata, results: list[Result], lang: str | None = None) -> list[str]:
    """Return what one grading came to, and what can be done next."""
    about = {"number": kata.number, "slug": kata.slug[3:]}
    skipped = sum(one.state == "skipped" for one in results)
    key = "skipped_contract" if kata.kind == "contract" else "skipped"
    lines = [say(f"grading.summary.{key}", lang, count=skipped)] if skipped else []
    first = first_failure(results)
    if first is None:
        if not passed(kata, results):
            return lines
        return [
            *lines,
            say("grading.summary.passed", lang, **about),
            say("grading.summary.solution", lang, **about),
        ]
    if first.message.startswith("G-"):
        key = "unchecked" if first.state == "could-not-check" else "broken"
        return [*lines, say(f"grading.summary.{key}", lang, **about)]
    hint = say("grading.summary.hint", lang, **about)
    return [*lines, say("grading.summary.failed", lang, **about, hint=hint)]


def also(result: Result, kata: Kata, seed: int, lang: str | None = None) -> str:
    """Return a further failure of the same kata in one line."""
    key = "others" if result.scenario else "other"
    head = say(f"grading.part.{key}", lang, scenario=result.scenario)
    return f"{head} {headline(result, kata, seed, lang)}"


def wrapped(indent: str, text: str) -> list[str]:
    """Return *text* in lines of a page's width, each after *indent*."""
    return [indent + line for line in textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False)]


def to_dict(kata: Kata, results: list[Result], seed: int, lang: str | None = None) -> dict[str, Any]:
    """Return one grading for programs."""
    return {
        "kata": kata.slug,
        "passed": passed(kata, results),
        "checks": [_check(one, kata, seed, lang) for one in results],
    }


def _check(result: Result, kata: Kata, seed: int, lang: str | None) -> dict[str, Any]:
    stated: dict[str, Any] = {"test": result.test, "verdict": result.state, "guard": result.guard}
    if result.state == "pass":
        return stated
    stated |= {"message_id": result.message, "scenario": result.scenario, "probe": result.probe}
    if result.state == "skipped":
        return stated
    commands = {"commands": [command for _, command in result.commands]} if result.commands else {}
    return stated | {"turn": result.turn, **parts(result, kata, seed, lang), **commands}
