"""What each name, attribute and key of a module may hold, wherever in the module it was put there.

Rules of this file:

1. A place only ever gains words, so a few rounds over the module come to an end.
2. Two places that are bound to each other without a copy (``a = b``, an argument and its parameter) are the
   same list: what is appended to one of them is in the other.
3. A name of a comprehension is a place of its own; any other name is one place in its function.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from simulator.contract.lint.kinds import NONE, OUTSIDE, Kinds
from simulator.contract.lint.reading import Callable, Function, Index, decorators

Location: TypeAlias = tuple[str, int, str]
"""``("name", scope, "messages")``, ``("attr", 0, "history")``, ``("key", 0, "role")``, ``("ret", 3, "")``."""

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Table:
    """Words by place."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.words: dict[Location, set[str]] = {}
        self.same: dict[Location, Location] = {}
        self.circles: dict[Location, set[Location]] = {}
        """By the place that stands for them: all places that are the same object."""
        self.changed = False
        self.places: dict[ast.AST, Location | None] = {}
        self.constants = dict(_constants(index))
        self.numbers = {node: n for n, node in enumerate(index.parents) if isinstance(node, Comprehension)}
        for function in index.functions[1:]:
            self._define(function)
        for node in index.parents:
            self._import(node)

    def _define(self, function: Function) -> None:
        if function.cls is None and not isinstance(function.node, ast.Lambda) and function.parent:
            name = function.name.rsplit(".", 1)[-1]
            scope = self.index.scope(function.parent, name) or function.parent
            self.add(("name", scope.number, name), {f"fn:{function.number}"})
        elif function.cls is not None and function.first:
            kind = "cls" if "classmethod" in decorators(function.node) else "obj"
            self.add(("name", function.number, function.first), {f"{kind}:{function.cls.number}"})

    def _import(self, node: ast.AST) -> None:
        owner = self.index.owner(node)
        if isinstance(node, ast.ClassDef):
            cls = self.index.classes[node.name]
            if cls.node is node:
                self.add(("name", owner.number, node.name), {f"cls:{cls.number}"})
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                name = (alias.asname or alias.name).split(".")[0]
                self.add(("name", owner.number, name), OUTSIDE)

    # --- places ----------------------------------------------------------------------------------------

    def place(self, node: ast.AST | None) -> Location | None:
        """Return the place that *node* names; None where it is a value without one."""
        if node is None:
            return None
        if node not in self.places:
            self.places[node] = self._place(node)
        return self.places[node]

    def _place(self, node: ast.AST) -> Location | None:
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                return self.named(node, name)
            case ast.Attribute(attr=name):
                return ("attr", 0, name)
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                return ("key", 0, key)
            case ast.NamedExpr(target=target):
                return self.place(target)
            case ast.Starred(value=value) | ast.Await(value=value):
                return self.place(value)
            case _:
                return None

    def named(self, node: ast.AST, name: str) -> Location | None:
        """Return the place of the *name* as it is meant at *node*; None for a builtin."""
        for around in self.index.ancestors(node):
            if isinstance(around, Callable):
                break
            if isinstance(around, Comprehension) and any(
                name in names_in(g.target) for g in around.generators
            ):
                return ("name", -1 - self.numbers[around], name)
        scope = self.index.scope(self.index.owner(node), name)
        if scope is None:
            return None if hasattr(builtins, name) else ("name", 0, name)
        return ("name", scope.number, name)

    def at(self, place: Location | None) -> Kinds:
        """Return what is at *place*."""
        return frozenset(self.words.get(place, ())) if place else NONE

    # --- putting something there -----------------------------------------------------------------------

    def add(self, place: Location | None, words: Iterable[str]) -> None:
        """Put *words* at *place*."""
        if place is None:
            return
        there = self.words.setdefault(place, set())
        before = len(there)
        there.update(words)
        self.changed = self.changed or len(there) > before

    def bind(self, place: Location | None, other: Location | None) -> None:
        """Say that *place* and *other* are the same object."""
        if place is None or other is None or place[0] == "key" or other[0] == "key":
            return
        left, right = self.root(place), self.root(other)
        if left != right:
            self.same[left] = right
            self.circles.setdefault(right, {right}).update(self.circles.pop(left, {left}))
            self.changed = True

    def root(self, place: Location) -> Location:
        """Return the place that stands for all that are the same object as *place*."""
        while place in self.same:
            place = self.same[place]
        return place

    def mutate(self, place: Location | None, words: Iterable[str]) -> None:
        """Put *words* into the object at *place*: whoever else holds it has them, too."""
        if place is None:
            return
        more = frozenset(words)
        self.add(place, more)
        for other in self.circles.get(self.root(place), ()):
            self.add(other, more)

    # --- constants -------------------------------------------------------------------------------------

    def constant(self, node: ast.AST) -> object:
        """Return the value of a literal, or of a name or an attribute that is one for good; else ``...``."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.constants.get(name, ...)
            case _:
                return ...


def names_in(target: ast.AST) -> set[str]:
    """Return the names in the target of an assignment."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _constants(index: Index) -> Iterator[tuple[str, object]]:
    """Yield the names that are given a literal once, in the module or in a class, and nothing else."""
    values: dict[str, list[object]] = {}
    fields = {name for each in index.classes.values() for name in each.fields}
    for node in index.parents:
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
            around = index.parents[node]
            given = getattr(around, "value", None) if isinstance(around, ast.Assign | ast.AnnAssign) else None
            static = index.owner(node) is index.root and isinstance(given, ast.Constant)
            values.setdefault(name, []).append(
                given.value if static and isinstance(given, ast.Constant) else ...
            )
        elif isinstance(node, ast.arg | ast.keyword) and (isinstance(node, ast.arg) or node.arg in fields):
            values.setdefault(str(node.arg), []).append(...)
    yield from ((name, given[0]) for name, given in values.items() if len(given) == 1 and given[0] is not ...)
