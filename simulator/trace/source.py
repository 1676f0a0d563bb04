"""The loop's own source: which code it is, its text, and which lines belong together.

Rules of this file:

1. A loop is recognised through ``functools.partial``, ``functools.wraps``, bound methods and objects with
   ``__call__``. What has no Python code (a class, a builtin) is not a loop.
2. The source is the whole file or notebook cell the loop is written in, so that helpers beside it count as
   the loop's own. Only the bare file name is kept; where there is no such file, it is a ``cell``.
3. Where the text cannot be found there is no source, and nothing has a line.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import linecache
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.branches import Test, find_tests
from simulator.trace.faults import LoopError
from simulator.trace.jsonable import described

CELL = "cell"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the loop is written. ``key`` is its code's file name, by which its frames are recognised."""

    key: str
    file: str
    text: str
    first_line: int
    statements: dict[int, int]
    """The first line of the statement (or of the head of the block) that a line belongs to."""
    tests: dict[int, Test]
    """The tests that decide where the loop goes, by each line on which one can begin to run."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as the document's ``source``."""
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"file": self.file, "sha256": digest, "text": self.text, "first_line": self.first_line}

    def line(self, number: int | None) -> int | None:
        """Return the first line of the statement that line *number* is in; None for None."""
        return None if number is None else self.statements.get(number, number)


def code_of(loop: object) -> CodeType:
    """Return the code object of *loop*; raises LoopError where it is no function written in Python."""
    if not callable(loop):
        raise LoopError(say("trace.loop.not_callable", seen=visible(described(loop))[:60]))
    if inspect.isclass(loop):
        raise LoopError(say("trace.loop.is_class", name=loop.__name__))
    function: Any = plain(loop)
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise LoopError(say("trace.loop.no_python", seen=visible(described(loop))[:60]))
    return code


def plain(loop: Any) -> Any:
    """Return the function that was written, without what is wrapped around it."""
    while True:
        if isinstance(loop, functools.partial):
            loop = loop.func
        elif inspect.ismethod(loop):
            loop = loop.__func__
        elif hasattr(loop, "__wrapped__"):
            loop = inspect.unwrap(loop)
        elif not hasattr(loop, "__code__") and inspect.ismethod(getattr(loop, "__call__", None)):  # noqa: B004
            loop = loop.__call__
        else:
            return loop


def name_of(loop: object) -> str:
    """Return the name the loop was written under; for an object, the name of its class."""
    function = plain(loop)
    name = getattr(function, "__name__", type(loop).__name__)
    return type(loop).__name__ if name == "__call__" else str(name)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of *function*; raises TypeError or ValueError where it has none.

    From Python 3.14 on an annotation is evaluated when it is asked for, and may name what is nowhere: nobody
    needs its value here.
    """
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.STRING)
    return inspect.signature(function)


def source_of(code: CodeType) -> Source | None:
    """Return the source that *code* was compiled from, or None where its text is not to be had."""
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        return None
    path = Path(code.co_filename)
    file = path.name if path.is_file() else CELL
    statements, tests = _read(text)
    return Source(code.co_filename, file, text, code.co_firstlineno, statements, tests)


@functools.lru_cache(maxsize=32)
def _read(text: str) -> tuple[dict[int, int], dict[int, Test]]:
    """Return what the syntax tree of *text* tells: first lines of statements, and tests by line."""
    try:
        with warnings.catch_warnings():
            # What Python warns of it has said already; even as an error it may not hide the tests.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        # A cell may hold what only IPython reads; its lines can still be shown.
        return {}, {}
    return _statements(tree), find_tests(tree, text)


def _statements(tree: ast.Module) -> dict[int, int]:
    lines: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for number in range(node.lineno, _head_end(node) + 1):
                # Statements inside others come later in the walk, so the innermost one has the last word.
                lines[number] = node.lineno
    return lines


def _head_end(node: ast.stmt) -> int:
    """Return the last line of *node* itself: for a block, the line before its body starts."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.end_lineno or node.lineno
    first = body[0]
    start = first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno
    return max(node.lineno, start - 1)
