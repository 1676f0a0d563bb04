"""The words that ``katas`` understands."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from simulator.text import LANGUAGES, language, say

Run = Callable[..., int]

SEED = "KATAS_SEED"
"""Environment variable with the seed, where ``--seed`` is not given."""


def language_of(words: list[str]) -> str:
    """Return the language that *words* ask for, so that help speaks it, too."""
    for at, word in enumerate(words):
        name, stated, value = word.partition("=")
        if name == "--lang":
            value = value if stated else next(iter(words[at + 1 : at + 2]), "")
            if value in LANGUAGES:
                return value
    return language()


def parser(lang: str, runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """Return the parser of ``katas``, speaking *lang*; *runs* carries out each command."""
    parser = argparse.ArgumentParser(
        prog="katas",
        description=say("grading.cli.description", lang),
        epilog=say("grading.cli.example", lang, command="katas grade 2"),
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _command(commands, lang, "list", runs, "katas list")
    _command(commands, lang, "next", runs, "katas next")
    grading = _command(commands, lang, "grade", runs, "katas grade 2", kata="?")
    grading.add_argument("--seed", type=seed, default=free_seed(), help=say("grading.cli.opt_seed", lang))
    hints = _command(commands, lang, "hint", runs, "katas hint 2", kata=True)
    hints.add_argument("--again", action="store_true", help=say("grading.cli.opt_again", lang))
    shown = _command(commands, lang, "solution", runs, "katas solution 2", kata=True, as_json=False)
    shown.add_argument("--give-up", action="store_true", help=say("grading.cli.opt_give_up", lang))
    back = _command(commands, lang, "reset", runs, "katas reset 2", kata=True)
    back.add_argument("--grader", action="store_true", help=say("grading.cli.opt_grader", lang))
    return parser


def seed(text: str) -> int:
    """Return the seed that *text* states; raises ArgumentTypeError, which argparse and pytest both tell."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise argparse.ArgumentTypeError(say("grading.cli.bad_seed"))
    return int(text)


def free_seed() -> int:
    """Return the seed of ``KATAS_SEED``, or any one where that states none."""
    stated = os.environ.get(SEED, "")
    return int(stated) if stated.isascii() and stated.isdigit() else random.SystemRandom().randrange(100_000)


def _command(
    commands: Any,
    lang: str,
    name: str,
    runs: Mapping[str, Run],
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
    parser.set_defaults(run=runs[name])
    return parser
