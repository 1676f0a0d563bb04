"""Which tests in a loop's source decide where it goes after a response, found in its syntax tree.

Rules of this file:

1. A test counts when it looks at the stop signal, wherever it stands; or when it stands in a function that
   asks the model, outside every inner loop, and one of its ways leaves (return, raise, break, continue) or it
   is the head of the loop that asks. Tests on single blocks, options and the like do not count.
2. A test is a *guard* when it is a limit of the loop's own: it compares by size, or with a figure, and does
   not look at the stop signal. The head of a ``for`` that asks the model is one.
3. Nothing is evaluated. What a test came to is read from the lines that run after it (``trace.verdicts``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from simulator.trace.predicates import LOOPS, asking_functions, asks, is_limit, leaves, looks_at_signal

Span = tuple[int, int]
"""First and last line."""


@dataclass(frozen=True, slots=True)
class Case:
    """One ``case`` of a ``match``."""

    text: str
    head: Span
    body: Span
    always: bool
    """Whether it matches whatever comes."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test, and the lines by which its outcome can be told."""

    kind: Literal["if", "for", "while", "match", "assert", "ternary"]
    text: str
    guard: bool
    head: Span
    body: Span | None = None
    other: Span | None = None
    """The ``else`` part, if it has lines of its own."""
    leaves: type[ast.stmt] | None = None
    """What the body does where it stands on the test's own line."""
    after: int | None = None
    """First line of the statement after it in the same block."""
    loop: Span | None = None
    """The innermost loop around it."""
    cases: tuple[Case, ...] = ()


def find_tests(tree: ast.Module, text: str) -> dict[int, Test]:
    """Return the tests of a source that count, by each line on which one can begin to run."""
    finder = _Finder(text, asking_functions(tree))
    finder.block(tree.body, _Place(asks=False))
    found: dict[int, Test] = {}
    for test in finder.tests:
        for line in range(test.head[0], test.head[1] + 1):
            found.setdefault(line, test)
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands: in a function that asks, in an inner loop, in which loop."""

    asks: bool
    inner: bool = False
    loop: Span | None = None


class _Finder:
    """Walks the statements of a source and collects its tests."""

    def __init__(self, text: str, asking: frozenset[str]) -> None:
        self.tests: list[Test] = []
        # Split as Python splits a source: str.splitlines would break at a form feed as well.
        self._lines = text.encode("utf-8", "replace").split(b"\n")
        self._asking = asking

    def block(self, body: list[ast.stmt], place: _Place) -> None:
        """Look at each statement of a block."""
        for n, node in enumerate(body):
            self._statement(node, body[n + 1].lineno if n + 1 < len(body) else None, place)

    def _statement(self, node: ast.stmt, after: int | None, place: _Place) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.block(node.body, _Place(asks=asks(node, self._asking) or not self._asking))
            return
        if isinstance(node, LOOPS):
            asking = asks(node, self._asking) or (not self._asking and isinstance(node, ast.While))
            inner = place.inner or not asking
            self._loop(node, place, inner)
            place = _Place(place.asks, inner, _span(node))
        elif isinstance(node, ast.If):
            self._if(node, after, place)
        elif isinstance(node, ast.Match):
            self._match(node, place)
        elif isinstance(node, ast.Assert) and looks_at_signal(node.test):
            self._add(Test("assert", self._shown(node.test), False, _span(node)))
        else:
            self._ternaries(node)
        for inside in _blocks(node):
            self.block(inside, place)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, place: _Place, inner: bool) -> None:
        head = node.lineno, max(node.lineno, node.body[0].lineno - 1)
        body = node.body[0].lineno, node.body[-1].end_lineno or node.lineno
        if isinstance(node, ast.While):
            signal = looks_at_signal(node.test)
            if signal or not (inner or isinstance(node.test, ast.Constant)):
                guard = not signal and is_limit(node.test)
                self._add(Test("while", self._shown(node.test), guard, head, body))
        elif not inner and place.asks:
            text = f"for {self._shown(node.target)} in {self._shown(node.iter)}"
            self._add(Test("for", text, True, head, body))

    def _if(self, node: ast.If, after: int | None, place: _Place) -> None:
        signal = looks_at_signal(node.test)
        counts = place.asks and not place.inner and (leaves(node.body) or leaves(node.orelse))
        if not signal and not counts:
            return
        head_end = node.test.end_lineno or node.lineno
        single = node.body[0].lineno == head_end
        self._add(
            Test(
                "if",
                self._shown(node.test),
                not signal and is_limit(node.test),
                (node.lineno, head_end),
                None if single else (node.body[0].lineno, node.body[-1].end_lineno or head_end),
                (node.orelse[0].lineno, node.orelse[-1].end_lineno or head_end) if node.orelse else None,
                type(node.body[-1]) if single else None,
                after,
                place.loop,
            )
        )

    def _match(self, node: ast.Match, place: _Place) -> None:
        leaving = any(leaves(case.body) for case in node.cases)
        if not looks_at_signal(node.subject) and not (place.asks and not place.inner and leaving):
            return
        subject = self._shown(node.subject)
        head = node.lineno, max(node.lineno, node.cases[0].pattern.lineno - 1)
        cases = tuple(self._case(subject, case) for case in node.cases)
        self._add(Test("match", f"match {subject}", False, head, cases=cases))

    def _case(self, subject: str, case: ast.match_case) -> Case:
        guard = f" if {self._shown(case.guard)}" if case.guard else ""
        end = (case.guard or case.pattern).end_lineno or case.pattern.lineno
        always = case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        return Case(
            f"match {subject}: case {self._shown(case.pattern)}{guard}",
            (case.pattern.lineno, end),
            (case.body[0].lineno, case.body[-1].end_lineno or end),
            always,
        )

    def _ternaries(self, node: ast.stmt) -> None:
        for part in _own_expressions(node):
            for inside in ast.walk(part):
                if isinstance(inside, ast.IfExp) and looks_at_signal(inside.test):
                    head = node.lineno, part.end_lineno or node.lineno
                    self._add(Test("ternary", self._shown(inside.test), False, head))

    def _shown(self, node: ast.expr | ast.pattern) -> str:
        """Return the source of *node* on one line. Columns count bytes of UTF-8, as ast has them."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b" ".join(lines).decode("utf-8", "replace").split())

    def _add(self, test: Test) -> None:
        self.tests.append(test)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements inside *node*."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _own_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _span(node: ast.stmt) -> Span:
    return node.lineno, node.end_lineno or node.lineno
