"""The ways through an agent loop from one answer of the model to the next request, or to the end.

Rules of this file:

1. A way is followed in one world (``truths.py``): tests that hang on the answer are decided, at others both
   branches are taken, and what comes after is no longer certain.
2. Helpers of the module are followed where they are called, one within the other up to ``DEEPEST``.
3. ``done`` is what has happened on every way to a place, ``may`` what has on some.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from simulator.contract.lint.reading import Callable, Function
from simulator.contract.lint.table import Location

DEEPEST = 7

Happening = ast.Call | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.IfExp
"""Expressions on a way that matter."""

LONGEST = 20_000
"""Statements that are followed in one world; a loop of more is left alone."""

ANSWER, RESULTS, EARLY, GUARD, TOLD, CHANGED = "answer", "results", "early", "guard", "told", "changed"
MORE = "more"
"""What can happen on a way: a turn of the assistant is kept; results are kept; results are kept before it; a
test of something else than the answer may end the loop; the answer or its signal is handed to somebody else;
something is kept or counted; something that is not just the turn of the assistant may be kept."""


class TooLong(Exception):  # noqa: N818  # a reason to be silent, no error
    """There are more ways through a loop than anybody can follow."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where a way has come to."""

    known: dict[Location, object] = field(default_factory=dict)
    done: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    passed: frozenset[ast.AST] = frozenset()
    """Statements that gave something a value."""
    asked: bool = False
    """The answer of this world is there."""
    certain: bool = True
    """It hangs on nothing but the answer that the way leads here."""

    def did(self, *what: str) -> Way:
        """Return the way after *what* happened."""
        return replace(self, done=self.done | set(what), may=self.may | set(what))

    def might(self, *what: str) -> Way:
        """Return the way after *what* may have happened."""
        return replace(self, may=self.may | set(what))

    def knows(self, place: Location, value: object) -> Way:
        """Return the way after *place* was given *value*."""
        return replace(self, known={**self.known, place: value})

    def forgets(self, place: Location) -> Way:
        """Return the way after *place* was given nobody knows what."""
        if place not in self.known:
            return self
        return replace(self, known={each: value for each, value in self.known.items() if each != place})


def joined(one: Way | None, other: Way | None) -> Way | None:
    """Return where two ways meet; one without an answer is left out, beside one that has it."""
    if one is None or other is None:
        return one or other
    if one.asked != other.asked:
        return one if one.asked else other
    same = {p: v for p, v in one.known.items() if p in other.known and _alike(v, other.known[p])}
    return Way(
        same,
        one.done & other.done,
        one.may | other.may,
        one.passed | other.passed,
        one.asked,
        one.certain and other.certain,
    )


def _alike(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


@dataclass(frozen=True, slots=True)
class Exit:
    """An end of a way."""

    kind: str
    """``return``, ``raise``, ``leave`` (a ``break``), ``break`` (past the loop), ``next`` (the loop begins
    anew), ``again`` (the next request)."""
    node: ast.AST
    way: Way
    value: ast.expr | None = None


@dataclass(eq=False, slots=True)
class Frame:
    """A function that is being followed, and the loops in it."""

    function: Function
    decides: bool = True
    """Whether the loop goes by what it gives back."""
    returns: list[Exit] = field(default_factory=list)
    breaks: list[list[Way]] = field(default_factory=list)
    """Ways out of the inner loops, the innermost last."""


def calls_in(node: ast.expr) -> Iterator[Happening]:
    """Yield what happens in *node* in the order in which it runs, functions defined there left out."""
    found: list[Happening] = []
    todo: list[ast.AST] = [node]
    while todo:
        at = todo.pop()
        if isinstance(at, Happening):
            found.append(at)
        if not isinstance(at, Callable | ast.IfExp):
            todo += ast.iter_child_nodes(at)
    return reversed(found)
