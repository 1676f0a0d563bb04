"""``simulator export``: one run as one HTML file that needs no network."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from simulator.commands import run
from simulator.commands.parser import Parser, UsageError
from simulator.text import language, say


def main(argv: Sequence[str]) -> int:
    """Write the page that *argv* asks for; return 0, or 1 when the run on it ended badly."""
    parser = Parser("export")
    run.add_words(parser)
    parser.options.add_argument("-o", "--output", metavar="FILE.html", help=say("cli.export.output"))
    parser.options.add_argument("--force", action="store_true", help=say("cli.export.force"))
    asked = parser.read(argv)
    output = Path(asked.output or f"{Path(asked.name).stem}.html")
    trace = run.trace_of(asked)
    from simulator.player.export import ExportError, export

    try:
        export(trace, output, lang=language(), force=asked.force)
    except ExportError as problem:
        # The sentence is that of the Python function; here the same wish is an option.
        raise UsageError(str(problem).replace("force=True", "--force")) from None
    size = -(-output.stat().st_size // 1000)
    print(say("cli.export.written", path=output, kilobytes=size, steps=len(trace.steps)), file=sys.stderr)
    return run.status_of(trace)
