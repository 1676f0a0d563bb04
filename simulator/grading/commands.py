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
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.grading import catalogue, pristine, report, solutions, state
from simulator.grading.catalogue import Catalogue, CatalogueError, Kata
from simulator.grading.checks import Result, first_failure, grade
from simulator.grading.runner import Runner
from simulator.text import ENVIRONMENT, LANGUAGES, language, say

FINE, AT_FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130

TICKS = {"passed": "x", "seen": "~", "open": "."}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``katas`` with the words *argv* (default: the process's own) and return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    try:
        options = _parser(_language_of(words)).parse_args(words)
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
            results = grade(kata, kata.loop, options.seed, runner)
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
    """Put a kata's starter (or its grader) back."""
    kata = known.find(options.kata)
    file = "loop_test.py" if options.grader else "loop.py"
    restored = pristine.restore(kata, file)
    backup = str(restored.backup) if restored.backup else ""
    if options.json:
        print(json.dumps({"kata": kata.slug, "file": file, "what": restored.what, "backup": backup or None}))
        return FINE
    key = f"grading.cli.reset_{restored.what}"
    print(say(key, options.lang, file=file, number=kata.number, backup=backup))
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
    shown = {"readme": _short(readme), "loop": _short(kata.loop), "folder": _short(kata.folder)}
    return say("grading.cli.next_is", lang, number=kata.number, title=kata.title(lang), **shown)


def _short(path: Path) -> str:
    """Return *path* as seen from here, where it lies below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _fail(problem: object, status: int) -> int:
    print(problem, file=sys.stderr)
    return status


def _warn(sentence: str) -> None:
    if sentence:
        print(sentence, file=sys.stderr)


def _language_of(words: list[str]) -> str:
    """Return the language that *words* ask for, so that help speaks it, too."""
    for at, word in enumerate(words):
        name, stated, value = word.partition("=")
        if name == "--lang":
            value = value if stated else next(iter(words[at + 1 : at + 2]), "")
            if value in LANGUAGES:
                # Children and rooms that are asked without a language speak it, too.
                os.environ[ENVIRONMENT] = value
                return value
    return language()


def _parser(lang: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="katas", description=say("grading.cli.description", lang), allow_abbrev=False
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _command(commands, lang, "list", list_katas, "katas list")
    _command(commands, lang, "next", next_kata, "katas next")
    grading = _command(commands, lang, "grade", grade_katas, "katas grade 2", kata="?")
    grading.add_argument("--seed", type=int, default=_free_seed(), help=say("grading.cli.opt_seed", lang))
    hints = _command(commands, lang, "hint", hint, "katas hint 2", kata=True)
    hints.add_argument("--again", action="store_true", help=say("grading.cli.opt_again", lang))
    shown = _command(commands, lang, "solution", solution, "katas solution 2", kata=True, as_json=False)
    shown.add_argument("--give-up", action="store_true", help=say("grading.cli.opt_give_up", lang))
    back = _command(commands, lang, "reset", reset, "katas reset 2", kata=True)
    back.add_argument("--grader", action="store_true", help=say("grading.cli.opt_grader", lang))
    return parser


def _free_seed() -> int:
    stated = os.environ.get("KATAS_SEED", "")
    return int(stated) if stated.isascii() and stated.isdigit() else random.SystemRandom().randrange(100_000)


def _command(
    commands: Any,
    lang: str,
    name: str,
    run: Any,
    example: str,
    *,
    kata: bool | str = False,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    told = say(f"grading.cli.{name}", lang)
    epilog = say("grading.cli.example", lang, command=example)
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=told, description=told, epilog=epilog, allow_abbrev=False
    )
    if kata:
        parser.add_argument("kata", nargs="?" if kata == "?" else None, help=say("grading.cli.name", lang))
    if as_json:
        parser.add_argument("--json", action="store_true", help=say("grading.cli.opt_json", lang))
    parser.add_argument("--lang", choices=LANGUAGES, default=lang, help=say("grading.cli.opt_lang", lang))
    parser.add_argument(
        "--katas", type=Path, default=None, metavar="DIR", help=say("grading.cli.opt_folder", lang)
    )
    parser.set_defaults(run=run)
    return parser


def _speak_utf8() -> None:
    """Write UTF-8, whatever a pipe or a Windows console would have; what cannot be written is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
