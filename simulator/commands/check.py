"""``simulator check``: what the gate finds about anybody's loop.

Rules of this file:

1. Exit status: 0 where nothing failed and something was seen to hold (with ``--criteria``: where all are
   met), 1 where the loop or its file is at fault, 2 for wrong usage.
2. A report for programs goes where it was asked for; one that goes to standard output goes there alone.
3. A file that is plainly something else than an older report is never replaced.
4. Where a report cannot go is said before the loop runs. If it turns out only then, all else is shown and
   written first.
"""

from __future__ import annotations

import difflib
import errno
import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator import files
from simulator.commands.parser import Parser, UsageError
from simulator.text import say
from simulator.text.visible import visible

if TYPE_CHECKING:
    from simulator.gate.criteria import Criterion
    from simulator.gate.judge import Report
    from simulator.gate.probe import Probe

STDOUT = "-"


def main(argv: Sequence[str]) -> int:
    """Check the loop that *argv* names; return the exit status."""
    asked = _read(argv)
    from simulator.gate.probes import all_probes

    probes = chosen(all_probes(), asked.only)
    if asked.list:
        return _list(probes, asked)
    if asked.criteria:
        probes = [one for one in probes if one.criteria]
    _check_places(asked, probes)
    report = _examined(asked, probes)
    missing = _write_reports(report, asked)
    if asked.json != STDOUT:
        _show(report, asked)
    if missing:
        raise UsageError(" ".join(missing))
    if asked.criteria and report.problem is None:
        return 0 if all(one.state == "met" for one in _criteria(report, asked)) else 1
    return 0 if report.passed else 1


def _read(argv: Sequence[str]) -> Namespace:
    parser = Parser("check")
    parser.words.add_argument("target", metavar="TARGET", nargs="?", help=say("cli.check.target"))
    options = parser.options
    options.add_argument("--only", metavar="FAMILY", action="append", default=[], help=say("cli.check.only"))
    options.add_argument("--seed", metavar="N", type=int, default=0, help=say("cli.check.seed"))
    options.add_argument("--criteria", action="store_true", help=say("cli.check.criteria"))
    options.add_argument("--list", action="store_true", help=say("cli.check.list"))
    options.add_argument("--json", metavar="FILE", nargs="?", const=STDOUT, help=say("cli.check.json"))
    options.add_argument("--junit", metavar="FILE", help=say("cli.check.junit"))
    options.add_argument("--sarif", metavar="FILE", help=say("cli.check.sarif"))
    options.add_argument("--html", metavar="DIR", help=say("cli.check.html"))
    asked = parser.read(argv)
    if asked.target is None and asked.json not in (None, STDOUT) and not asked.list:
        # `check --json my_loop.py`: the word after --json was meant as the loop.
        asked.target, asked.json = asked.json, STDOUT
    if asked.target is None and not asked.list:
        raise UsageError(say("cli.check.no_target"))
    return asked


def chosen(probes: Sequence[Probe], wishes: Sequence[str]) -> list[Probe]:
    """Return those of *probes* that *wishes* name: by the letter of a family, a module, or their id.

    Without a wish, all. Raises UsageError for a wish that names nothing.
    """
    if not wishes:
        return list(probes)
    names = {one.id: _names(one) for one in probes}
    known = sorted(set().union(*names.values())) if names else []
    for wish in wishes:
        if wish not in known:
            near = difflib.get_close_matches(wish, known, n=1, cutoff=0.5)
            modules = ", ".join(dict.fromkeys(one.id.partition(".")[0] for one in probes))
            hint = say("cli.check.near", near=near[0]) if near else say("cli.known", known=modules)
            raise UsageError(say("cli.check.unknown", wish=visible(wish) or "''", hint=hint))
    return [one for one in probes if names[one.id] & set(wishes)]


def _names(probe: Probe) -> set[str]:
    return {probe.id, probe.family, probe.id.partition(".")[0]}


def _examined(asked: Namespace, probes: Sequence[Probe]) -> Report:
    """Return the report; a target that names nothing is wrong usage."""
    from simulator.gate import judge, messages, target
    from simulator.gate.problems import UnloadableError

    try:
        found = target.read(asked.target)
        if sys.stderr.isatty():
            print(say("cli.check.running", probes=len(probes), seed=asked.seed), file=sys.stderr)
        report = judge.examine(found, probes, seed=asked.seed, lines=asked.html is not None)
    except UnloadableError as unloadable:
        raise UsageError(messages.sentence(unloadable.problem)) from None
    if report.problem is not None and report.problem.code in target.USAGE:
        raise UsageError(messages.sentence(report.problem))
    return report


def _criteria(report: Report, asked: Namespace) -> list[Criterion]:
    """Return the criteria; those that the chosen probes are about, where some were chosen."""
    from simulator.gate.criteria import criteria

    return [one for one in criteria(report.findings) if one.evidence or not asked.only]


def _write_reports(report: Report, asked: Namespace) -> list[str]:
    """Write what was asked for beside the table; return a sentence for each report that could not be."""
    if asked.json == STDOUT:
        from simulator.gate import as_json

        print(_dumped(as_json.to_dict(report, Path.cwd())), end="")
    missing = []
    for path, write in _writers(report, asked):
        try:
            write()
        except OSError as problem:
            missing.append(_unwritable(path, problem))
    return missing


def _writers(report: Report, asked: Namespace) -> Iterator[tuple[Path, Callable[[], None]]]:
    """Yield where each report goes, and what writes it there."""
    from simulator.gate import as_json, as_junit, as_sarif

    def pages() -> None:
        from simulator.commands.check_pages import write

        print(say("cli.check.pages", path=write(report, Path(asked.html))), file=sys.stderr)

    here = Path.cwd()
    if asked.json not in (None, STDOUT):
        stated = _dumped(as_json.to_dict(report, here)).encode("utf-8")
        yield Path(asked.json), partial(files.put, Path(asked.json), stated)
    if asked.junit:
        yield Path(asked.junit), partial(files.put, Path(asked.junit), as_junit.to_xml(report))
    if asked.sarif:
        stated = _dumped(as_sarif.to_dict(report, here)).encode("utf-8")
        yield Path(asked.sarif), partial(files.put, Path(asked.sarif), stated)
    if asked.html:
        yield Path(asked.html), pages


def _unwritable(path: Path, problem: OSError) -> str:
    # A page of the player says by itself what is in its way.
    return say("cli.system", path=path, problem=problem.strerror) if problem.strerror else str(problem)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1) + "\n"


def _check_places(asked: Namespace, probes: Sequence[Probe]) -> None:
    """Raise UsageError where a report cannot go: said before the loop runs, not after."""
    taken: set[str] = set()
    for name, begins in ((asked.json, b"{"), (asked.junit, b"<"), (asked.sarif, b"{")):
        if name in (None, STDOUT):
            continue
        path = Path(name)
        _check_place(path, begins)
        if os.path.realpath(path) in taken:
            raise UsageError(say("cli.check.twice", path=path))
        taken.add(os.path.realpath(path))
    if asked.html:
        from simulator.commands.check_pages import check_folder

        try:
            check_folder(Path(asked.html), [one.id for one in probes])
        except OSError as problem:
            raise UsageError(_unwritable(Path(asked.html), problem)) from None


def _check_place(path: Path, begins: bytes) -> None:
    if not path.parent.is_dir():
        raise UsageError(say("cli.check.no_folder", path=path))
    if path.is_dir():
        raise UsageError(say("cli.check.no_file", path=path))
    if not os.access(path.parent, os.W_OK):
        raise UsageError(say("cli.system", path=path, problem=os.strerror(errno.EACCES)))
    if path.is_file():
        with path.open("rb") as file:
            first = file.read(64).lstrip()[:1]
        if first not in (b"", begins):
            raise UsageError(say("cli.check.foreign", path=path))


def _show(report: Report, asked: Namespace) -> None:
    """Print the report for a person; why there is none goes to stderr."""
    from simulator.commands import check_table
    from simulator.gate.messages import sentence

    if report.problem is not None:
        print(visible(sentence(report.problem)), file=sys.stderr)
        return
    made = (
        check_table.criteria_rows(report, _criteria(report, asked))
        if asked.criteria
        else check_table.rows(report)
    )
    check_table.show(made, sys.stdout)


def _list(probes: Sequence[Probe], asked: Namespace) -> int:
    from simulator.commands import check_table

    if asked.json:
        print(_dumped([check_table.described(one) for one in probes]), end="")
    else:
        check_table.show(check_table.list_rows(probes), sys.stdout)
    return 0
