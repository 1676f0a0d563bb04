"""What a module says about its agent loops, read from its syntax tree.

Rules of this file:

1. A module that does not ask the Messages API is told apart at once, by its text.
2. Reading never fails on what Python can parse: where a tree is too deep to be read, it holds no loops.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property

from simulator.contract.lint.expressions import asks
from simulator.contract.lint.finding import Place
from simulator.contract.lint.kinds import NONE, Kinds
from simulator.contract.lint.loops import AgentLoop, Loops
from simulator.contract.lint.reading import Function, Index
from simulator.contract.lint.turns import Turns
from simulator.contract.lint.values import Values

_ASKS = re.compile(r"\bmessages\b[^#\n]{0,60}?\.\s*(create|stream|parse)\b|\bmessages\s*\\?\s*\.")


@dataclass(frozen=True)
class Module:
    """One source file that was parsed."""

    source: str
    tree: ast.Module
    name: str

    @cached_property
    def index(self) -> Index:
        """Its functions, classes and scopes."""
        return Index(self.tree)

    @cached_property
    def values(self) -> Values:
        """What each expression may be: ``values.of(node)``."""
        return Values(self.index)

    @cached_property
    def loops(self) -> tuple[AgentLoop, ...]:
        """Its agent loops, in the order of the source."""
        if "messages" not in self.source or not _ASKS.search(self.source):
            return ()
        if not any(asks(node) for node in ast.walk(self.tree)):
            return ()
        try:
            return tuple(Loops(self.index, self.values).found)
        except RecursionError:
            return ()

    @cached_property
    def turns(self) -> Turns:
        """The turns it makes, and which tool results come into them."""
        return Turns.of(self.index)

    @cached_property
    def memory(self) -> dict[object, object]:
        """Room for what rules find out and others need again."""
        return {}

    @cached_property
    def lines(self) -> list[str]:
        """Its lines as the parser counts them, ends kept."""
        return re.split(r"(?<=\n)|(?<=\r)(?!\n)", self.source)

    def of(self, node: ast.AST | None) -> Kinds:
        """Return what *node* may be (``kinds.py``)."""
        try:
            return self.values.of(node)
        except RecursionError:
            return NONE

    def function(self, node: ast.AST) -> Function:
        """Return the function that *node* stands in."""
        return self.index.owner(node)

    def place(self, node: ast.AST) -> Place:
        """Return where *node* stands, in characters."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        start = self._column(line, getattr(node, "col_offset", 0))
        return Place(line, start, end, self._column(end, getattr(node, "end_col_offset", None) or 0))

    def head(self, node: ast.AST) -> Place:
        """Return the first line of *node*: of a loop or a function, up to its colon."""
        whole = self.place(node)
        if whole.line == whole.end_line:
            return whole
        text = self.lines[whole.line - 1].rstrip("\r\n")
        return Place(whole.line, whole.column, whole.line, len(text.rstrip()) + 1)

    def text(self, node: ast.AST) -> str:
        """Return the source of *node*, in one line."""
        return " ".join((ast.get_source_segment(self.source, node) or "").split())

    def _column(self, line: int, offset: int) -> int:
        """Return the column of *offset*, which counts bytes of UTF-8."""
        if not 0 < line <= len(self.lines):
            return offset + 1
        return len(self.lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def read(source: str, name: str) -> Module:
    """Return *source* as a module. Raises SyntaxError, and what else the parser raises."""
    return Module(source, ast.parse(source), name)
