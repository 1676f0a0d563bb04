"""Load ``run_agent_loop`` from a learner's file, or say exactly why that did not work.

Rules of this file:

1. The file is read and run afresh for every run, so that nothing a loop keeps in its module reaches the next.
2. Each way to fail has its own code; none of them is the loop's own bug, so none shares a kata's message.
"""

from __future__ import annotations

import difflib
import inspect
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from simulator.gate.problems import Frame, Problem, UnloadableError, frames_of
from simulator.trace.source import signature_of

FUNCTION = "run_agent_loop"
PARAMETERS = ("client", "messages", "tools", "handlers")


def load(path: Path, arguments: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function ``run_agent_loop`` of the file *path*, fit to be called with *arguments*.

    Raises UnloadableError.
    """
    code = _compile(path, _read(path))
    module = ModuleType("loop")
    module.__file__ = str(path)
    sys.modules["loop"] = module
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        raise UnloadableError(_import_problem(error, path)) from None
    return _function(module, arguments, path)


def _read(path: Path) -> str:
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UnloadableError(Problem("G-NOFILE", {"file": path.name})) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnloadableError(Problem("G-UNREADABLE", {"file": path.name, "error": str(error)})) from None
    linecache.checkcache(str(path))
    return source


def _compile(path: Path, source: str) -> CodeType:
    try:
        return compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        line = error.lineno or 0
        facts = {"file": path.name, "line": line, "error": error.msg}
        shown = Frame(line, "", (error.text or "").strip("\n"))
        raise UnloadableError(Problem("G-SYNTAX", facts, (shown,))) from None
    except ValueError as error:  # a null byte
        raise UnloadableError(Problem("G-UNREADABLE", {"file": path.name, "error": str(error)})) from None


def _import_problem(error: BaseException, path: Path) -> Problem:
    facts = {"file": path.name, "type": type(error).__name__, "error": str(error)}
    code = "G-IMPORT-EXIT" if isinstance(error, SystemExit) else "G-IMPORT"
    return Problem(code, facts, frames_of(error.__traceback__, path))


def _function(module: ModuleType, arguments: tuple[str, ...], path: Path) -> Callable[..., Any]:
    found = vars(module).get(FUNCTION)
    if found is None:
        names = [name for name, value in vars(module).items() if inspect.isfunction(value)]
        near = difflib.get_close_matches(FUNCTION, names, n=1, cutoff=0.5) or names[-1:]
        code = "G-RENAMED" if near else "G-MISSING"
        raise UnloadableError(Problem(code, {"file": path.name, "near": near[0] if near else ""}))
    if not callable(found):
        raise UnloadableError(Problem("G-NOT-CALLABLE", {"file": path.name, "kind": type(found).__name__}))
    if inspect.isclass(found):
        raise UnloadableError(Problem("G-NOT-CALLABLE", {"file": path.name, "kind": "class"}))
    _check_kind(found)
    _check_signature(found, arguments)
    return found  # type: ignore[no-any-return]  # callable, as checked above


def _check_kind(function: Callable[..., Any]) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise UnloadableError(Problem("G-ASYNC"))
    if inspect.isgeneratorfunction(function):
        raise UnloadableError(Problem("G-GENERATOR"))


def _check_signature(function: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    """Refuse a function that cannot be called as every kata is called: by these names."""
    try:
        signature = signature_of(function)
        signature.bind(**dict.fromkeys((*PARAMETERS, *arguments)))
    except (TypeError, ValueError) as error:
        wanted = ", ".join((*PARAMETERS, *arguments))
        facts = {"seen": _shown(function), "wanted": wanted, "error": str(error)}
        raise UnloadableError(Problem("G-SIGNATURE", facts)) from None


def _shown(function: Callable[..., Any]) -> str:
    try:
        return str(signature_of(function))
    except (TypeError, ValueError):
        return "(...)"
