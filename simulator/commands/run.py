"""What ``step`` and ``export`` are to show: a trace, made or loaded from what the command line names.

Rules of this file:

1. ``NAME`` is a shipped scenario, a cassette, or a saved trace. A scenario is run; a cassette and a trace are
   shown as they are, unless ``--loop`` asks for a run of that loop on the cassette.
2. A loop is the user's own code and runs here, in this process, as ``python file.py`` would. What it does to
   the process (another folder, another stdout) is undone when it is over.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.commands.loading import load
from simulator.commands.parser import Parser, UsageError
from simulator.commands.patience import DEADLINE, patience
from simulator.player.examples import LOOPS, default
from simulator.text import say

if TYPE_CHECKING:
    from simulator.trace.document import Trace

FINE = ("returned", "recorded")
"""The endings of a run with which nothing is wrong."""


def add_words(parser: Parser) -> None:
    """Give *parser* the words that name what is to be shown."""
    parser.words.add_argument("name", metavar="NAME", help=say("cli.run.name"))
    shipped = ", ".join(LOOPS)
    parser.options.add_argument("--loop", metavar="LOOP", help=say("cli.run.loop", shipped=shipped))
    parser.options.add_argument(
        "--what-if", action="append", default=[], metavar="N=SIGNAL", help=say("cli.run.what_if")
    )
    add_limits(parser)


def add_limits(parser: Parser) -> None:
    """Give *parser* the options of a run of a loop."""
    parser.options.add_argument("--seed", type=int, metavar="N", help=say("cli.run.seed"))
    limit = say("cli.run.deadline", seconds=f"{DEADLINE:g}")
    parser.options.add_argument("--deadline", type=float, default=DEADLINE, metavar="SECONDS", help=limit)


def trace_of(asked: argparse.Namespace) -> Trace:
    """Return the trace that *asked* names. Raises UsageError, CassetteError, TraceError or LoopError."""
    from simulator.trace.document import Trace

    check_deadline(asked)
    what_if, path = _what_if(asked.what_if), Path(asked.name)
    if path.suffix == ".json" and _without_loop(asked):
        return Trace.load(path)
    if path.is_file() and not (asked.loop or what_if) and asked.seed is None:
        return Trace.from_cassette(path)
    from simulator.recording.scenario import scenario
    from simulator.trace.observe import observe

    found = scenario(asked.name)
    if not asked.loop:
        return observe(default(found), found, seed=asked.seed, deadline=asked.deadline, what_if=what_if)
    with patience(asked.deadline), undone():
        loop = load(asked.loop)
        return observe(loop, found, seed=asked.seed, deadline=asked.deadline, what_if=what_if)


def check_deadline(asked: argparse.Namespace) -> None:
    """Raise UsageError where the deadline of *asked* is no time."""
    if not (asked.deadline > 0 and math.isfinite(asked.deadline)):
        raise UsageError(say("cli.run.no_deadline", seen=asked.deadline))


def _what_if(words: list[str]) -> dict[int, str]:
    """Return what ``--what-if 2=refusal`` asks for: request number -> signal. Raises UsageError."""
    asked: dict[int, str] = {}
    for word in words:
        turn, _, signal = word.partition("=")
        if not (turn.isdecimal() and turn.isascii() and int(turn) > 0 and signal.strip()):
            raise UsageError(say("cli.run.no_what_if", seen=word))
        asked[int(turn)] = signal.strip()
    return asked


@contextlib.contextmanager
def undone() -> Iterator[None]:
    """Put the current folder and the standard streams back as they were, whatever a loop did to them."""
    with (
        contextlib.chdir("."),
        contextlib.redirect_stdout(sys.stdout),
        contextlib.redirect_stderr(sys.stderr),
    ):
        yield


def _without_loop(asked: argparse.Namespace) -> bool:
    """Return True; raises UsageError when a saved trace is asked to run again."""
    if asked.loop or asked.what_if or asked.seed is not None:
        raise UsageError(say("cli.run.saved", name=asked.name))
    return True


def status_of(trace: Trace) -> int:
    """Return 0 where the run of *trace* ended well; else say on stderr how it ended and return 1."""
    ending = trace.exit
    if ending.reason in FINE:
        return 0
    said = ": ".join(part for part in (ending.error_type, ending.message) if part)
    print(say("cli.run.ended", reason=ending.reason, said=said), file=sys.stderr)
    return 1
