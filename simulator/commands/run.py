"""What ``step`` and ``export`` are to show: a trace, made or loaded from what the command line names.

Rules of this file:

1. ``NAME`` is a shipped scenario, a cassette, or a saved trace. A scenario is run; a cassette and a trace are
   shown as they are, unless ``--loop`` asks for a run of that loop on the cassette.
2. A loop is the user's own code and runs here, in this process, as ``python file.py`` would. What it does to
   the process (another folder, another stdout) is undone when it is over, and no module of ours or of the SDK
   is replaced by a file of the user's that has the same name.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    parser.options.add_argument("--seed", type=int, metavar="N", help=say("cli.run.seed"))
    limit = say("cli.run.deadline", seconds=f"{DEADLINE:g}")
    parser.options.add_argument("--deadline", type=float, default=DEADLINE, metavar="SECONDS", help=limit)


def trace_of(asked: argparse.Namespace) -> Trace:
    """Return the trace that *asked* names. Raises UsageError, CassetteError, TraceError or LoopError."""
    from simulator.trace.document import Trace

    if not (asked.deadline > 0 and math.isfinite(asked.deadline)):
        raise UsageError(say("cli.run.no_deadline", seen=asked.deadline))
    path = Path(asked.name)
    if path.suffix == ".json" and _without_loop(asked):
        return Trace.load(path)
    if path.is_file() and not asked.loop and asked.seed is None:
        return Trace.from_cassette(path)
    from simulator.recording.scenario import scenario
    from simulator.trace.observe import observe

    found = scenario(asked.name)
    if not asked.loop:
        return observe(default(found), found, seed=asked.seed, deadline=asked.deadline)
    with patience(asked.deadline), _undone():
        return observe(load(asked.loop), found, seed=asked.seed, deadline=asked.deadline)


@contextlib.contextmanager
def _undone() -> Iterator[None]:
    """Put the current folder and the standard streams back as they were, whatever a loop did to them."""
    with (
        contextlib.chdir("."),
        contextlib.redirect_stdout(sys.stdout),
        contextlib.redirect_stderr(sys.stderr),
    ):
        yield


def _without_loop(asked: argparse.Namespace) -> bool:
    """Return True; raises UsageError when a saved trace is asked to run again."""
    if asked.loop or asked.seed is not None:
        raise UsageError(say("cli.run.saved", name=asked.name))
    return True


def load(target: str) -> Callable[..., Any]:
    """Return the loop that *target* names: ``file.py:function``, or one of the shipped :data:`LOOPS`.

    The file's own folder can be imported from, after everything else. Raises UsageError or LoopError.
    """
    if target in LOOPS:
        return LOOPS[target]
    file, _, name = target.rpartition(":")
    path = Path(file)
    if not file.endswith(".py") or not name.isidentifier():
        raise UsageError(say("cli.run.no_target", seen=target, shipped=", ".join(LOOPS)))
    if not path.is_file():
        raise UsageError(say("cli.run.no_file", path=path))
    module = _module(path.resolve())
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UsageError(say("cli.run.no_function", path=path, name=name, known=", ".join(known) or "–"))
    return function  # type: ignore[no-any-return]  # a callable of a module that nobody has typed


def _module(path: Path) -> Any:
    from simulator.trace.faults import LoopError

    # A name that nobody imports: a loop in json.py or anthropic.py must not take the place of that module.
    name = f"loop file {path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(say("cli.run.no_file", path=path))
    module = module_from_spec(spec)
    sys.path.append(str(path.parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except SyntaxError as error:
        file, line = error.filename or path, error.lineno or 1
        raise LoopError(say("cli.run.syntax", path=file, line=line, problem=error.msg)) from None
    except BaseException as error:
        where = _line_in(error, path)
        what = f"{type(error).__name__}: {error}"
        raise LoopError(say("cli.run.import", path=path, line=where, problem=what)) from error
    return module


def _line_in(error: BaseException, path: Path) -> int:
    """Return the last line of the file *path* in the traceback of *error*; 1 where it has none."""
    line, frame = 1, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == str(path):
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def status_of(trace: Trace) -> int:
    """Return 0 where the run of *trace* ended well; else say on stderr how it ended and return 1."""
    ending = trace.exit
    if ending.reason in FINE:
        return 0
    said = ": ".join(part for part in (ending.error_type, ending.message) if part)
    print(say("cli.run.ended", reason=ending.reason, said=said), file=sys.stderr)
    return 1
