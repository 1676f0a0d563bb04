"""The command ``simulator``: finds the command that is meant, and turns what goes wrong into one sentence.

Rules of this file:

1. A command is a module with ``main(argv) -> int``, imported only when it is called: help is always quick.
2. Exit status: 0 fine, 1 the user's loop or file is at fault, 2 wrong usage, 130 interrupted.
3. What the user or a file did wrong is one sentence on stderr. A traceback means that we are wrong.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from simulator.commands.parser import UsageError
from simulator.text import ENVIRONMENT, LANGUAGES, say
from simulator.text.visible import visible

COMMANDS = {
    "list": "simulator.commands.list",
    "step": "simulator.commands.step",
    "export": "simulator.commands.export",
    "check": "simulator.commands.check",
    "lint": "simulator.commands.lint",
    "signals": "simulator.commands.signals",
    "compile": "simulator.commands.compile",
    "validate": "simulator.commands.validate",
    "record": "simulator.recording.record",
}
"""The commands in the order help shows them, and the modules that carry them out."""

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``simulator`` with the words *argv* (default: the process's own) and return the exit status."""
    _ready_streams()
    try:
        words, lang = _take_language(list(sys.argv[1:] if argv is None else argv))
        with _speaking(lang):
            return _guarded(words)
    except UsageError as problem:
        return _tell(problem, 2)


def _guarded(words: list[str]) -> int:
    """Run the command that *words* name; a mistake that is not ours ends in one sentence."""
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except SystemExit as ended:  # argparse, after --help
        return ended.code if isinstance(ended.code, int) else 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough (`simulator list | head`).
        _drop_output()
        return 0
    except OSError as problem:
        at_fault = _status(problem)
        if at_fault is not None:
            return _tell(problem, at_fault)
        _drop_output()
        place = problem.filename or say("cli.output")
        reason = problem.strerror or type(problem).__name__
        return _tell(UsageError(say("cli.system", path=place, problem=reason)), 1)
    except Exception as problem:
        at_fault = _status(problem)
        if at_fault is None:
            raise
        return _tell(problem, at_fault)


def _drop_output() -> None:
    """Send what is still to be written to nowhere: at exit Python would complain that it cannot write it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(problem: Exception, status: int) -> int:
    """Say on stderr what *problem* says, so that nothing in it steers a terminal, and return *status*."""
    print(visible(str(problem)), file=sys.stderr)
    return status


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0 if words else 2
    name, *rest = words
    if name == "--version":
        from simulator import __version__

        print(f"agent-loop-katas {__version__}")
        return 0
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        known = ", ".join(COMMANDS)
        hint = say("cli.did_you_mean", near=near[0]) if near else say("cli.known", known=known)
        raise UsageError(say("cli.unknown_command", name=name, hint=hint))
    run = import_module(COMMANDS[name]).main
    return int(run(rest))


def _help() -> str:
    """Return what ``simulator --help`` shows."""
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name.ljust(width)}  {say(f'cli.{name}.short')}" for name in COMMANDS]
    return "\n".join([say("cli.head"), "", *lines, "", say("cli.tail")])


def _status(problem: Exception) -> int | None:
    """Return the exit status for a *problem* whose text is a sentence for the user; None: it is our bug."""
    from simulator.recording.cassette import CassetteError
    from simulator.recording.scenario import UnknownScenario
    from simulator.trace.faults import LoopError, TraceError

    if isinstance(problem, UsageError | UnknownScenario):
        return 2
    return 1 if isinstance(problem, CassetteError | TraceError | LoopError) else None


def _take_language(words: list[str]) -> tuple[list[str], str | None]:
    """Return *words* without ``--lang XX``, wherever it stands, and the language it asks for."""
    for at, word in enumerate(words):
        if word.partition("=")[0] != "--lang":
            continue
        _, stated, value = word.partition("=")
        lang = value if stated else next(iter(words[at + 1 : at + 2]), "")
        if lang not in LANGUAGES:
            raise UsageError(say("cli.unknown_language", seen=lang, known=", ".join(LANGUAGES)))
        return words[:at] + words[at + (1 if stated else 2) :], lang
    return words, None


@contextlib.contextmanager
def _speaking(lang: str | None) -> Iterator[None]:
    """Speak *lang*, here and in child processes, until the command is done."""
    before = os.environ.get(ENVIRONMENT)
    if lang is not None:
        os.environ[ENVIRONMENT] = lang
    try:
        yield
    finally:
        if lang is not None:
            os.environ.pop(ENVIRONMENT)
            os.environ.update({ENVIRONMENT: before} if before is not None else {})


def _ready_streams() -> None:
    """Write UTF-8, whatever a pipe or a Windows console would have; what cannot be written is escaped.

    A stream that is closed (``>&-``, a program without a console) stands open on nothing.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115  # for as long as we run
            setattr(sys, name, stream)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
