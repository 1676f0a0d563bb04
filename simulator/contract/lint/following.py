"""Where a value comes from, and what is put into a list: names, helpers, comprehensions, ``gather``, ``map``.

Each place is looked at once for a value, and a bounded number of them; what cannot be followed is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint.bindings import Binding, called, dotted
from simulator.contract.lint.sources import Function, Sources

STEPS = 400
"""Places that are looked at for one value."""
SAME_LIST = {"list", "tuple", "sorted", "reversed", "set", "filter", "deque", "copy", "deepcopy"}
"""Calls that give the elements of their argument."""
Seen = set[tuple[str, ast.AST]]


class Following:
    """The values of one module."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    # --- where a value comes from ----------------------------------------------------------------------

    def origins(self, node: ast.expr | None, seen: Seen | None = None) -> Iterator[ast.expr]:
        """Yield the expressions that make the value of *node*; *node* itself where it cannot be followed."""
        more = _further("origin", node, seen)
        if node is None or more is None:
            return
        match node:
            case ast.IfExp(body=left, orelse=right):
                yield from self.origins(left, more)
                yield from self.origins(right, more)
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self.origins(value, more)
            case ast.Await(value=value) | ast.NamedExpr(value=value):
                yield from self.origins(value, more)
            case ast.Name() | ast.Attribute():
                yield from self._of_name(node, more)
            case ast.Call():
                yield from self._of_call(node, more)
            case _:
                yield node

    def _of_name(self, node: ast.expr, seen: Seen) -> Iterator[ast.expr]:
        """Yield where the name *node* gets its value."""
        found = False
        for binding in self.sources.bindings(node):
            for each in self._of_binding(binding, seen):
                found = True
                yield each
        if not found:
            yield node

    def _of_binding(self, binding: Binding, seen: Seen) -> Iterator[ast.expr]:
        """Yield the values that *binding* gives."""
        if binding.kind == "value":
            yield from self.origins(binding.expr, seen)
        elif binding.kind == "item":
            for each in self.elements(binding.expr, seen):
                yield from self.origins(each, seen)
        elif binding.kind == "parameter" and isinstance(binding.node, ast.arg):
            for given in self.sources.given(binding.node):
                yield from self.origins(given, seen)

    def _of_call(self, node: ast.Call, seen: Seen) -> Iterator[ast.expr]:
        """Yield what a helper of this module returns; the call itself where it is none."""
        runs = called(node)
        if runs in ("to_thread", "run_sync") and node.args:
            functions = self._named(node.args[0])
        elif runs in ("run_in_executor",) and len(node.args) > 1:
            functions = self._named(node.args[1])
        else:
            functions = self.sources.resolved(node)
        found = False
        for function in functions:
            for value in returned(function):
                found = True
                yield from self.origins(value, seen)
        if not found:
            yield node

    def _named(self, node: ast.expr) -> list[Function]:
        """Return the functions of this module that *node* names."""
        name = (dotted(node) or "").rpartition(".")[2]
        return self.sources.functions.get(name, [])

    # --- what is in a list -----------------------------------------------------------------------------

    def elements(self, node: ast.expr | None, seen: Seen | None = None) -> Iterator[ast.expr]:
        """Yield the expressions that are put into the list that *node* is."""
        more = _further("element", node, seen)
        if node is None or more is None:
            return
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                for item in items:
                    if isinstance(item, ast.Starred):
                        yield from self.elements(item.value, more)
                    else:
                        yield item
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) | ast.SetComp(elt=item):
                yield item
            case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, right=right):
                yield from self.elements(left, more)
                yield from self.elements(right, more)
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self.elements(value, more)
            case (
                ast.Await(value=value)
                | ast.NamedExpr(value=value)
                | ast.Subscript(value=value, slice=ast.Slice())
            ):
                yield from self.elements(value, more)
            case ast.Name() | ast.Attribute():
                yield from self._in_name(node, more)
            case ast.Call():
                yield from self._in_call(node, more)
            case _:
                pass

    def _in_name(self, node: ast.expr, seen: Seen) -> Iterator[ast.expr]:
        """Yield what is put into the list that the name *node* holds."""
        for binding in self.sources.bindings(node):
            if binding.kind in ("value", "extension"):
                yield from self.elements(binding.expr, seen)
            elif binding.kind == "element" and binding.expr is not None:
                yield binding.expr
            elif binding.kind == "parameter" and isinstance(binding.node, ast.arg):
                for given in self.sources.given(binding.node):
                    yield from self.elements(given, seen)

    def _in_call(self, node: ast.Call, seen: Seen) -> Iterator[ast.expr]:
        """Yield what is in the list that a call gives."""
        name = called(node)
        if name in SAME_LIST and node.args:
            yield from self.elements(node.args[-1] if name == "filter" else node.args[0], seen)
        elif name in ("map", "imap", "starmap") and len(node.args) > 1:
            for function in self._named(node.args[0]):
                yield from returned(function)
            if isinstance(node.args[0], ast.Lambda):
                yield node.args[0].body
        elif name == "gather":
            for each in node.args:
                if isinstance(each, ast.Starred):
                    yield from self.elements(each.value, seen)
                else:
                    yield each
        elif name == "values" and isinstance(node.func, ast.Attribute):
            yield from self._under_keys(node.func.value)
        else:
            for function in self.sources.resolved(node):
                yield from yielded(function)
                for value in returned(function):
                    yield from self.elements(value, seen)

    def _under_keys(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield the values of the dictionary that the name *node* holds."""
        for binding in self.sources.bindings(node):
            if binding.kind == "key" and binding.expr is not None:
                yield binding.expr
            elif binding.kind == "value" and isinstance(binding.expr, ast.DictComp):
                yield binding.expr.value


def _further(what: str, node: ast.AST | None, seen: Seen | None) -> Seen | None:
    """Note that *node* is looked at; return None where it was before, or where this goes too far."""
    seen = set() if seen is None else seen
    if node is None or (what, node) in seen or len(seen) >= STEPS:
        return None
    seen.add((what, node))
    return seen


def own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of *function* that are not in a function within it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def returned(function: Function) -> list[ast.expr]:
    """Return the expressions that *function* returns."""
    return [node.value for node in own(function) if isinstance(node, ast.Return) and node.value is not None]


def yielded(function: Function) -> list[ast.expr]:
    """Return the expressions that *function* yields."""
    return [node.value for node in own(function) if isinstance(node, ast.Yield) and node.value is not None]
