"""``simulator step``: one run, one step at a time, in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.commands import run
from simulator.commands.parser import Parser


def main(argv: Sequence[str]) -> int:
    """Show the run that *argv* asks for; return 0, or 1 when it ended badly."""
    parser = Parser("step")
    run.add_words(parser)
    asked = parser.read(argv)
    trace = run.trace_of(asked)
    from simulator.player.terminal import step

    step(trace)
    return run.status_of(trace)
