"""Where the names of a module get their values: scopes, assignments, call sites.

Rules of this file:

1. It reads any valid Python and never raises; what it does not understand it leaves out.
2. A name is a dotted string: ``results``, ``self.history``. What hangs on ``self`` or ``cls`` belongs to the
   class, and is gathered from all its methods; everything else belongs to the scope it is bound in.
3. Functions are known by their bare name, as ``run_tool`` and ``self.run_tool`` are both called. A name that
   more than a few functions share says nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from simulator.contract.lint.bindings import Binding, bindings_of, called, dotted, starred
from simulator.contract.lint.reading import Index

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

SCOPES = (
    *(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
SAME_NAME = 3
"""Functions that may share a name before it stops meaning anything."""


class Sources:
    """The scopes of one module."""

    def __init__(self, index: Index) -> None:
        self.tree, self.parents, self.ancestors = index.tree, index.parents, index.ancestors
        self.functions: dict[str, list[Function]] = defaultdict(list)
        self.calls: dict[str, list[ast.Call]] = defaultdict(list)
        self._scopes: dict[ast.AST, ast.AST] = {}
        self._link()
        self._bound = self._gathered()

    # --- places in the tree ----------------------------------------------------------------------------

    def function(self, node: ast.AST) -> Function | None:
        """Return the ``def`` that *node* stands in."""
        return next((up for up in self.ancestors(node) if isinstance(up, Function)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class that *node* stands in."""
        return next((up for up in self.ancestors(node) if isinstance(up, ast.ClassDef)), None)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement that *node* is or stands in."""
        for each in (node, *self.ancestors(node)):
            if isinstance(each, ast.stmt):
                return each
        return ast.Pass()

    def loops(self, node: ast.AST) -> Iterator[ast.For | ast.AsyncFor | ast.While]:
        """Yield the loop statements around *node* within its function, from the inside out."""
        for up in self.ancestors(node):
            if isinstance(up, Function | ast.Lambda | ast.ClassDef):
                return
            if isinstance(up, ast.For | ast.AsyncFor | ast.While):
                yield up

    def inside(self, node: ast.AST, outer: ast.AST) -> bool:
        """Say whether *node* is *outer* or stands in it."""
        return node is outer or any(up is outer for up in self.ancestors(node))

    # --- names -----------------------------------------------------------------------------------------

    def bindings(self, node: ast.AST) -> list[Binding]:
        """Return how the name (or ``self.name``) at *node* gets its value; empty where nobody knows."""
        name = dotted(node)
        if name is None:
            return []
        if name.partition(".")[0] in ("self", "cls") and (owner := self.owner(node)) is not None:
            return self._bound.get(owner, {}).get("self." + name.partition(".")[2], [])
        scope = self._scope_with(name, node, self._bound)
        return self._bound[scope][name] if scope is not None else []

    def given(self, parameter: ast.arg) -> list[ast.expr]:
        """Return what the callers in this module give for *parameter*."""
        function = self.parents.get(self.parents.get(parameter, parameter), parameter)
        if not isinstance(function, Function):
            return []
        given = (self.argument(call, parameter) for call in self.sites(function))
        return [each for each in given if each is not None]

    def argument(self, call: ast.Call, parameter: ast.arg) -> ast.expr | None:
        """Return what *call* gives for *parameter* of the function that it calls."""
        around = self.parents.get(parameter)
        if not isinstance(around, ast.arguments):
            return None
        named = next((each.value for each in call.keywords if each.arg == parameter.arg), None)
        args = [*around.posonlyargs, *around.args]
        bound = bool(args) and args[0].arg in ("self", "cls")
        at = next((n for n, each in enumerate(args) if each is parameter), -1) - bound
        there = named is None and 0 <= at < len(call.args) and not starred(call.args[: at + 1])
        return call.args[at] if there else named

    def sites(self, function: Function) -> list[ast.Call]:
        """Return the calls in this module that may be of *function*."""
        owner = self.parents.get(function)
        name = function.name
        if name == "__init__" and isinstance(owner, ast.ClassDef):
            name = owner.name
        return self.calls.get(name, []) if len(self.functions.get(function.name, [])) <= SAME_NAME else []

    def resolved(self, call: ast.AST) -> list[Function]:
        """Return the functions of this module that *call* may call."""
        found = self.functions.get(called(call), [])
        return found if len(found) <= SAME_NAME else []

    # --- one pass --------------------------------------------------------------------------------------

    def _link(self) -> None:
        """Note the scope of each node, and functions and calls by name."""
        for node in ast.walk(self.tree):
            inner = node if isinstance(node, SCOPES) else self._scopes.get(node, self.tree)
            for child in ast.iter_child_nodes(node):
                self._scopes[child] = inner
            if isinstance(node, Function):
                self.functions[node.name].append(node)
            elif isinstance(node, ast.Call):
                self.calls[called(node)].append(node)

    def _gathered(self) -> dict[ast.AST, dict[str, list[Binding]]]:
        """File every binding under its scope and name; what is put into something, where that is bound."""
        bound: dict[ast.AST, dict[str, list[Binding]]] = defaultdict(lambda: defaultdict(list))
        later = []
        declared = self._declared()
        for node in self.parents:
            for target, binding in bindings_of(node):
                name = target if isinstance(target, str) else dotted(target)
                if name is None:
                    continue
                if name.startswith(("self.", "cls.")) and (owner := self.owner(node)) is not None:
                    bound[owner]["self." + name.partition(".")[2]].append(binding)
                elif binding.kind in ("element", "extension", "key"):
                    later.append((name, binding))
                else:
                    bound[self._home(node, name, declared)][name].append(binding)
        for name, binding in later:
            scope = self._scope_with(name, binding.node, bound)
            bound[scope or self._home(binding.node, name, declared)][name].append(binding)
        return bound

    def _declared(self) -> set[tuple[ast.AST, str]]:
        """Return the names that a function declares global or nonlocal."""
        return {
            (self._scopes[node], name)
            for node in self.parents
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }

    def _home(self, node: ast.AST, name: str, declared: set[tuple[ast.AST, str]]) -> ast.AST:
        """Return the scope in which *node* binds *name*."""
        if isinstance(node, ast.arg):
            return self.parents.get(self.parents.get(node, node), self.tree)
        scope = self._scopes.get(node, self.tree)
        while isinstance(node, ast.NamedExpr) and isinstance(scope, Comprehension):
            scope = self._scopes.get(scope, self.tree)
        while (scope, name) in declared:
            scope = self._scopes.get(scope, self.tree)
        return scope

    def _scope_with(
        self, name: str, node: ast.AST, bound: dict[ast.AST, dict[str, list[Binding]]]
    ) -> ast.AST | None:
        """Return the innermost scope around *node* that binds *name*; a class only for what stands in it."""
        scope, first = self._scopes.get(node), True
        while scope is not None:
            if bound.get(scope, {}).get(name) and (first or not isinstance(scope, ast.ClassDef)):
                return scope
            first = False
            scope = self._scopes.get(scope)
        return None
