"""``simulator compile``: a loop, and the report about it, from a contract.

Rules of this file:

1. Exit status: 0 written, printed, or up to date; 1 where the contract is at fault or, with ``--check``, a
   file is not what it gives; 2 for wrong usage.
2. All problems of a contract are told at once, each with its place, rule, reason and remedy.
3. The loop goes to standard output alone, and only where it has no file; words go to standard error then.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.commands import compile_files
from simulator.commands.parser import Parser, UsageError
from simulator.text import LANGUAGES, language, say
from simulator.text.visible import visible

if TYPE_CHECKING:
    from simulator.commands.compile_files import Outcome, Wanted
    from simulator.contract import ContractError
    from simulator.contract.model import Contract

MAX_BYTES = 1024 * 1024
"""What any policy lets a contract have; of standard input not more than a byte beyond it is read."""

STDIO = "-"
UNREADABLE = "file.unreadable"
"""The one rule that is about the command line: there is no such file."""


def main(argv: Sequence[str]) -> int:
    """Compile the contract that *argv* names; return the exit status."""
    asked = _read(argv)
    from simulator.contract import ContractError, loop_source, read

    try:
        contract = read(_given(asked.contract), policy=asked.policy)
    except ContractError as refused:
        return _refused(asked, refused)
    source = loop_source(contract)
    wanted = _wanted(asked, contract, source)
    if asked.check:
        outcomes = compile_files.compare(wanted)
    else:
        compile_files.refuse_lost(wanted, force=asked.force)
        outcomes = compile_files.write(wanted)
    if asked.json:
        _print_json(asked, contract, source, outcomes)
    else:
        _tell(asked, source, outcomes)
    return 1 if any(each.done in ("differs", "missing") for each in outcomes) else 0


def _read(argv: Sequence[str]) -> Namespace:
    parser = Parser("compile")
    parser.words.add_argument("contract", metavar="CONTRACT", help=say("cli.compile.contract"))
    options = parser.options
    options.add_argument("-o", "--output", metavar="FILE.py", help=say("cli.compile.output"))
    options.add_argument("--report", metavar="FILE.md", help=say("cli.compile.report"))
    options.add_argument("--check", action="store_true", help=say("cli.compile.check"))
    options.add_argument("--policy", metavar="FILE", help=say("cli.compile.policy"))
    options.add_argument("--force", action="store_true", help=say("cli.compile.force"))
    options.add_argument("--json", action="store_true", help=say("cli.json"))
    asked = parser.read(argv)
    asked.output = None if asked.output == STDIO else asked.output
    if asked.check and asked.output is None and asked.report is None:
        raise UsageError(say("cli.compile.nothing_to_check"))
    contract = None if asked.contract == STDIO else asked.contract
    compile_files.refuse_same((contract, asked.policy), (asked.output, asked.report))
    return asked


def _given(name: str) -> str | bytes:
    """Return what to read: the file *name*, or the content of standard input."""
    return sys.stdin.buffer.read(MAX_BYTES + 1) if name == STDIO else name


def _wanted(asked: Namespace, contract: Contract, source: str) -> list[Wanted]:
    """Return the files that were asked for and what belongs in them."""
    from simulator.contract.reporting import report

    wanted = []
    if asked.output is not None:
        wanted.append(compile_files.Wanted(Path(asked.output), "python", (source,)))
    if asked.report is not None:
        spoken = language()
        tongues = [spoken, *(lang for lang in LANGUAGES if lang != spoken)] if asked.check else [spoken]
        pages = tuple(report(contract, source, lang) for lang in tongues)
        wanted.append(compile_files.Wanted(Path(asked.report), "markdown", pages))
    return wanted


def _refused(asked: Namespace, error: ContractError) -> int:
    """Tell what is wrong with the contract, or the policy; return the exit status."""
    from simulator.contract import problems_as_dicts
    from simulator.contract.problems import as_text

    if error.file not in (asked.contract, asked.policy):
        error.file = asked.contract  # standard input, which has no name
    if asked.json:
        found = {
            "passed": False,
            "file": error.file,
            "problems": problems_as_dicts(error),
            "more": error.more,
        }
        print(_dumped(_head(asked) | found))
    else:
        number = len(error.problems) + error.more
        many = "cli.compile.refused_one" if number == 1 else "cli.compile.refused"
        print(as_text(error), file=sys.stderr)
        print(visible(say(many, path=error.file, number=number)), file=sys.stderr)
    return 2 if error.problems[0].rule == UNREADABLE else 1


def _tell(asked: Namespace, source: str, outcomes: Sequence[Outcome]) -> None:
    """Print for a person what became of each file, and the loop where it has none."""
    if asked.output is None and not asked.check:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(newline="\n")  # the same bytes on every system
        print(source, end="")
    for each in outcomes:
        print(visible(say(f"cli.compile.{each.done}", path=each.path)), file=sys.stderr)
        print(visible(each.diff), end="")
    if any(each.done in ("differs", "missing") for each in outcomes):
        print(visible(say("cli.compile.stale", command=_command(asked))), file=sys.stderr)
    elif asked.output is not None and not asked.check:
        print(visible(say("cli.compile.next", path=asked.output)), file=sys.stderr)


def _command(asked: Namespace) -> str:
    """Return the command that brings the files up to date."""
    import shlex

    stated = {"--output": asked.output, "--report": asked.report, "--policy": asked.policy}
    options = [word for name, value in stated.items() if value for word in (name, value)]
    return shlex.join(["simulator", "compile", asked.contract, *options])


def _head(asked: Namespace) -> dict[str, Any]:
    return {"format": "loop-compile", "version": 1, "contract": asked.contract}


def _print_json(asked: Namespace, contract: Contract, source: str, outcomes: Sequence[Outcome]) -> None:
    """Print for a program what became of each file, and the loop where it has none."""
    kinds = {"python": "loop", "markdown": "report"}
    told = [
        {"path": str(each.path), "kind": kinds[each.kind], "state": each.done}
        | ({"diff": each.diff} if each.diff else {})
        for each in outcomes
    ]
    stale = any(each.done in ("differs", "missing") for each in outcomes)
    stated = {
        "passed": not stale,
        "file": asked.contract,
        "problems": [],
        "more": 0,
        "name": contract.name,
        "digest": contract.digest,
    }
    loop = {} if asked.output is not None or asked.check else {"source": source}
    print(_dumped(_head(asked) | stated | {"files": told} | loop))


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1)
