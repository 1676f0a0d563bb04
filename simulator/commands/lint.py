"""``simulator lint``: the known anti-patterns of agent loops in files, by their syntax trees.

Rules of this file:

1. Exit status: 0 where nothing is found, 1 where something is or a file could not be linted, 2 for wrong
   usage or settings that cannot be followed.
2. Standard output holds what was asked for and nothing else: the findings, a report for programs, or a diff.
3. With ``--fix`` what is left is found; with ``--diff`` nothing is written.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.commands.parser import Parser, UsageError
from simulator.text import say
from simulator.text.visible import visible

if TYPE_CHECKING:
    from simulator.contract.lint.catalogue import Rules
    from simulator.contract.lint.run import Linted
    from simulator.contract.lint.settings import Settings
    from simulator.contract.lint.walk import Job

STDIN = "-"
STDIN_NAME = "<stdin>"


def main(argv: Sequence[str], rules: Rules | None = None) -> int:
    """Lint what *argv* names, by *rules* (default: all there are); return the exit status."""
    asked = _read(argv)
    from simulator.contract.lint import fixing, run
    from simulator.contract.lint.problems import SettingsError
    from simulator.contract.lint.rules import RULES

    rules = RULES if rules is None else rules
    if asked.list:
        return _list(asked, rules)
    try:
        jobs = _jobs(asked, rules)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    if not jobs:
        print(say("cli.lint.nothing", paths=visible(", ".join(asked.paths))), file=sys.stderr)
    if asked.diff:
        return _diff(jobs, rules)
    done = [(fixing.fix if asked.fix else run.lint_job)(job, rules) for job in jobs]
    _show(done, asked, rules)
    if asked.fix and any(file.cells and any(each.fix for each in file.findings) for file in done):
        print(say("cli.lint.notebooks"), file=sys.stderr)
    return _status(done)


def _status(done: Sequence[Linted]) -> int:
    return 1 if any(file.findings or file.problems for file in done) else 0


def _diff(jobs: Sequence[Job], rules: Rules) -> int:
    """Print what fixing would change, and on stderr how much is found."""
    from simulator.contract.lint import as_text, fixing, run
    from simulator.contract.lint.catalogue import slugs

    done = []
    for job in jobs:
        changed = fixing.change(job, rules)
        done.append(replace(run.lint_job(job, rules), problems=changed.linted.problems))
        shown = fixing.difference(changed)
        # A patch goes to `patch` as it is; a person's terminal gets nothing that could steer it.
        sys.stdout.write(visible(shown) if sys.stdout.isatty() else shown)
    sys.stderr.write(as_text.plain(as_text.lines(done, slugs(rules), brief=True)))
    return _status(done)


def _parser() -> Parser:
    parser = Parser("lint")
    parser.words.add_argument("paths", metavar="PATH", nargs="*", help=say("cli.lint.paths"))
    options = parser.options
    mending = options.add_mutually_exclusive_group()
    mending.add_argument("--fix", action="store_true", help=say("cli.lint.fix"))
    mending.add_argument("--diff", action="store_true", help=say("cli.lint.diff"))
    report = options.add_mutually_exclusive_group()
    report.add_argument("--json", action="store_true", help=say("cli.json"))
    report.add_argument("--sarif", action="store_true", help=say("cli.lint.sarif"))
    report.add_argument("--github", action="store_true", help=say("cli.lint.github"))
    report.add_argument("--brief", action="store_true", help=say("cli.lint.brief"))
    options.add_argument("--select", metavar="RULES", action="append", help=say("cli.lint.select"))
    options.add_argument(
        "--ignore", metavar="RULES", action="append", default=[], help=say("cli.lint.ignore")
    )
    options.add_argument("--list", action="store_true", help=say("cli.lint.list"))
    return parser


def _read(argv: Sequence[str]) -> Namespace:
    # Paths and options in any order: `lint a.py --fix b.py`.
    asked = _parser().parse_intermixed_args(list(argv))
    if asked.diff and (asked.json or asked.sarif or asked.github):
        raise UsageError(say("cli.lint.diff_alone"))
    if asked.fix and STDIN in asked.paths:
        raise UsageError(say("cli.lint.fix_stdin"))
    if not asked.paths and not asked.list:
        raise UsageError(say("cli.lint.no_path"))
    return asked


def _jobs(asked: Namespace, rules: Rules) -> list[Job]:
    """Return the files to lint, each with its settings; raises UsageError and SettingsError."""
    from simulator.contract.lint import walk
    from simulator.contract.lint.parsing import MAX_BYTES

    settings_of = _settings(asked, rules)
    paths = [path for path in asked.paths if path != STDIN]
    try:
        found = walk.jobs(paths, settings_of)
    except FileNotFoundError as error:
        raise UsageError(say("cli.lint.missing", path=visible(str(error.filename)))) from None
    if STDIN in asked.paths:
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        found.insert(0, walk.Job(Path(STDIN_NAME), STDIN_NAME, settings_of(Path()), raw=raw))
    return found


def _settings(asked: Namespace, rules: Rules) -> Callable[[Path], Settings]:
    """Return what gives the settings for a folder: those of its ``pyproject.toml`` under those of *asked*."""
    from simulator.contract.lint import settings
    from simulator.contract.lint.catalogue import slugs

    named = slugs(rules)
    select = None if asked.select is None else settings.rules_of(_words(asked.select), "--select", named)
    ignore = settings.rules_of(_words(asked.ignore), "--ignore", named)

    @cache
    def settings_of(folder: Path) -> Settings:
        found = settings.nearest(folder, named)
        chosen = found.select if select is None else select
        return replace(found, select=chosen, ignore=found.ignore | ignore)

    return settings_of


def _words(stated: Sequence[str]) -> list[str]:
    return [word.strip() for each in stated for word in each.split(",")]


def _show(done: Sequence[Linted], asked: Namespace, rules: Rules) -> None:
    """Print what was asked for."""
    from simulator.contract.lint import as_github, as_json, as_sarif, as_text
    from simulator.contract.lint.catalogue import slugs

    here, named = Path.cwd(), slugs(rules)
    if asked.json or asked.sarif:
        made = (as_json if asked.json else as_sarif).to_dict(done, here, named)
        print(_dumped(made), end="")
    elif asked.github:
        for line in as_github.to_lines(done, here, named):
            print(line)
    else:
        as_text.show(
            [*as_text.mended_lines(done, named), *as_text.lines(done, named, brief=asked.brief)], sys.stdout
        )


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1) + "\n"


def _list(asked: Namespace, rules: Rules) -> int:
    from simulator.contract.lint import as_json, as_text

    if asked.json:
        print(_dumped(as_json.rules_to_list(rules)), end="")
    else:
        as_text.show(as_text.rule_lines(rules), sys.stdout)
    return 0
