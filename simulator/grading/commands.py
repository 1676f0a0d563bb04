"""The command ``katas``: list, next, grade, hint, solution, reset.

Rules of this file:

1. Exit status: 0 fine, 1 the loop or a file is at fault, 2 wrong usage.
2. Nothing of a learner's is lost: ``reset`` keeps a backup and says where.
3. ``hint`` gives one question at a time, ``solution`` opens after passing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.gate.runner import Runner
from simulator.grading import arguments, catalogue, pristine, report, solutions, state
from simulator.grading.arguments import Run
from simulator.grading.catalogue import Catalogue, CatalogueError, Kata
from simulator.grading.checks import first_failure, grade
from simulator.grading.results import Result
from simulator.grading.speaking import speaking
from simulator.text import language, say

FINE, AT_FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130

TICKS = {"passed": "x", "seen": "~", "open": "."}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``katas`` with the words *argv* (default: the process's own) and return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    try:
        lang = arguments.language_of(words)
        options = arguments.parser(lang, RUNS).parse_args(words)
        with speaking(lang):
            return _run(options)
    except SystemExit as ended:  # argparse
        return ended.code if isinstance(ended.code, int) else USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough (`katas list | head`). Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE


def _run(options: argparse.Namespace) -> int:
    try:
        known = catalogue.load(options.katas)
    except CatalogueError as problem:
        return _fail(problem, AT_FAULT)
    try:
        return int(options.run(options, known))
    except CatalogueError as problem:
        return _fail(problem, USAGE)
    except (pristine.NotShippedError, solutions.NoSolutionError, OSError) as problem:
        return _fail(problem, AT_FAULT)


def list_katas(options: argparse.Namespace, known: Catalogue) -> int:
    """Print the katas and their ticks."""
    progress = state.read(known)
    rows = [_row(kata, progress, options.lang) for kata in known.katas]
    if options.json:
        print(json.dumps({"katas": rows}, ensure_ascii=False, indent=2))
        return FINE
    _warn(progress.broken)
    for row in rows:
        tick = TICKS[row["state"]]
        print(
            say(
                "grading.cli.list_row", options.lang, **{**row, "slug": row["slug"][3:], "tick": tick}
            ).rstrip()
        )
    print("\n" + say("grading.cli.legend", options.lang))
    return FINE


def next_kata(options: argparse.Namespace, known: Catalogue) -> int:
    """Print which kata comes next."""
    progress = state.read(known)
    kata = progress.next_kata(known)
    if options.json:
        print(json.dumps({"next": _row(kata, progress, options.lang) if kata else None}, ensure_ascii=False))
        return FINE
    _warn(progress.broken)
    print(_next_line(kata, options.lang))
    return FINE


def grade_katas(options: argparse.Namespace, known: Catalogue) -> int:
    """Grade one kata, or all, and print a page for the first failure of each."""
    katas = [known.find(options.kata)] if options.kata else list(known.katas)
    progress = state.read(known)
    told: list[dict[str, Any]] = []
    with Runner() as runner:
        for kata in katas:
            results = grade(kata, kata.loop, options.seed, runner, _notice)
            if report.passed(kata, results):
                progress.mark_passed(kata)
            told.append(report.to_dict(kata, results, options.seed, options.lang))
            if not options.json:
                _print_grade(kata, results, options)
    _warn(progress.save())
    fine = all(one["passed"] for one in told)
    if options.json:
        print(json.dumps({"seed": options.seed, "katas": told}, ensure_ascii=False, indent=2))
    elif fine:
        print(_next_line(progress.next_kata(known), options.lang))
    return FINE if fine else AT_FAULT


def hint(options: argparse.Namespace, known: Catalogue) -> int:
    """Print the next question of a kata's ladder, or with ``--again`` those given so far."""
    kata, progress = known.find(options.kata), state.read(known)
    if options.again:
        rungs = list(range(1, progress.hints.get(kata.slug, 0) + 1))
    else:
        rungs = [progress.next_rung(kata)]
        _warn(progress.save())
    if options.json:
        told = [{"rung": rung, "of": kata.hints, "text": kata.hint(rung, options.lang)} for rung in rungs]
        print(json.dumps({"kata": kata.slug, "hints": told}, ensure_ascii=False, indent=2))
        return FINE
    if not rungs:
        print(say("grading.cli.hint_none", options.lang, number=kata.number))
    for rung in rungs:
        print(say("grading.cli.hint_head", options.lang, number=kata.number, rung=rung, rungs=kata.hints))
        print("\n".join(report.wrapped("  ", kata.hint(rung, options.lang))))
    if kata.hints in rungs:
        print(say("grading.cli.hint_last", options.lang, number=kata.number))
    return FINE


def solution(options: argparse.Namespace, known: Catalogue) -> int:
    """Print one solution of a passed kata as a difference to the learner's file."""
    kata, progress = known.find(options.kata), state.read(known)
    if kata.slug not in [*progress.passed, *progress.seen]:
        if not options.give_up:
            return _fail(say("grading.cli.solution_locked", options.lang, number=kata.number), AT_FAULT)
        text = solutions.compared(kata, options.lang)
        progress.mark_seen(kata)
        _warn(progress.save())
        print(text + "\n" + say("grading.cli.solution_seen", options.lang, number=kata.number))
        return FINE
    print(solutions.compared(kata, options.lang))
    return FINE


def reset(options: argparse.Namespace, known: Catalogue) -> int:
    """Put a kata's starter (or its grader) back; what was not there at the start is put away."""
    kata = known.find(options.kata)
    done = {}
    if options.grader:
        done["loop_test.py"] = pristine.restore(kata, "loop_test.py")
    else:
        done["loop.py"] = pristine.restore(kata)
        if kata.edited != kata.loop and kata.edited.is_file():
            done[kata.edited.name] = pristine.put_away(kata.edited)
    told = [
        {"file": file, "what": one.what, "backup": str(one.backup) if one.backup else None}
        for file, one in done.items()
    ]
    if options.json:
        first, *others = told
        print(json.dumps({"kata": kata.slug, **first, **({"others": others} if others else {})}))
        return FINE
    for one in told:
        print(say(f"grading.cli.reset_{one['what']}", options.lang, number=kata.number, **one))
    return FINE


def _print_grade(kata: Kata, results: list[Result], options: argparse.Namespace) -> None:
    if not pristine.is_pristine(kata):
        print(say("grading.pristine", options.lang, number=kata.number) + "\n")
    first = first_failure(results)
    if first is not None:
        print(report.page(first, kata, options.seed, options.lang))
        for other in results:
            if other is not first and other.state in ("fail", "could-not-check"):
                print("  " + report.also(other, kata, options.seed, options.lang))
        print()
    print("\n".join(report.summary(kata, results, options.lang)))
    if first is not None:
        print(say("grading.seed", options.lang, seed=options.seed) + "\n")


def _row(kata: Kata, progress: state.Progress, lang: str | None) -> dict[str, Any]:
    done, seen = kata.slug in progress.passed, kata.slug in progress.seen
    return {
        "number": kata.number,
        "slug": kata.slug,
        "title": kata.title(lang),
        "about": say(f"katas.{kata.id}.about", lang),
        "track": kata.track,
        "minutes": kata.minutes,
        "difficulty": kata.difficulty,
        "state": "passed" if done else "seen" if seen else "open",
        "hints": progress.hints.get(kata.slug, 0),
    }


def _next_line(kata: Kata | None, lang: str | None) -> str:
    if kata is None:
        return say("grading.cli.next_none", lang)
    readme = kata.folder / ("README.es.md" if language(lang) == "es" else "README.md")
    shown = {"readme": _short(readme), "file": _short(kata.edited), "folder": _short(kata.folder)}
    key = "next_contract" if kata.kind == "contract" else "next_is"
    return say(f"grading.cli.{key}", lang, number=kata.number, title=kata.title(lang), **shown)


def _short(path: Path) -> str:
    """Return *path* as seen from here, where it lies below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _notice(key: str) -> None:
    """Tell whoever sits at the terminal why it takes so long."""
    if sys.stderr.isatty():
        print(say(key), file=sys.stderr, flush=True)


def _fail(problem: object, status: int) -> int:
    print(problem, file=sys.stderr)
    return status


def _warn(sentence: str) -> None:
    if sentence:
        print(sentence, file=sys.stderr)


RUNS: dict[str, Run] = {
    "list": list_katas,
    "next": next_kata,
    "grade": grade_katas,
    "hint": hint,
    "solution": solution,
    "reset": reset,
}


def _speak_utf8() -> None:
    """Write UTF-8, whatever a pipe or a Windows console would have; what cannot be written is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
