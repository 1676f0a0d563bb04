"""The functions, classes and scopes of a module, and which node belongs to which of them.

Rules of this file:

1. Every walk is flat: a tree as deep as the parser takes is no danger here.
2. What stands in a class body outside of its methods belongs to the function around the class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

Callable = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Shared = ast.expr_context | ast.operator | ast.boolop | ast.unaryop | ast.cmpop
"""Nodes of which the parser makes one for all places."""
Looping = ast.For | ast.AsyncFor | ast.While


@dataclass(eq=False, slots=True)
class Class:
    """A class of the module; ``fields`` are what a dataclass takes, in order."""

    node: ast.ClassDef
    number: int
    methods: dict[str, Function] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Function:
    """A function, a method, a lambda, or the module itself."""

    node: Callable | ast.Module
    name: str
    """Qualified, without ``<locals>``: ``Agent.run``, ``run_agent_loop.ask``; ``<module>`` for the module."""
    number: int
    parent: Function | None
    cls: Class | None
    """The class it is a method of."""
    params: tuple[str, ...] = ()
    """Names of its parameters, in order, ``self`` first."""
    bound: set[str] = field(default_factory=set)
    """Names that are its own."""
    nodes: list[ast.AST] = field(default_factory=list)
    """All nodes in it, those of the functions inside it left out."""
    generates: bool = False

    @property
    def first(self) -> str | None:
        """The name of ``self`` or ``cls`` in a method."""
        static = "staticmethod" in decorators(self.node)
        return self.params[0] if self.cls and self.params and not static else None


def decorators(node: ast.AST) -> set[str]:
    """Return the last names of the decorators: ``cached_property`` for ``@functools.cached_property``."""
    names: set[str] = set()
    for each in getattr(node, "decorator_list", []):
        shown = each.func if isinstance(each, ast.Call) else each
        names.add(str(getattr(shown, "attr", None) or getattr(shown, "id", "")))
    return names


class Index:
    """Who belongs to whom in one syntax tree."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self.owners: dict[ast.AST, Function] = {}
        self.functions: list[Function] = []
        self.by_node: dict[ast.AST, Function] = {}
        self.classes: dict[str, Class] = {}
        self.root = self._function(tree, "<module>", None, None)
        self._walk()
        self._bind()

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around *node*."""
        return self.parents.get(node)

    def owner(self, node: ast.AST) -> Function:
        """Return the function that *node* stands in; for a function, the one around it."""
        return self.owners.get(node, self.root)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around *node*, nearest first."""
        around = self.parents.get(node)
        while around is not None:
            yield around
            around = self.parents.get(around)

    def scope(self, function: Function, name: str) -> Function | None:
        """Return the function whose *name* is meant in *function*; None for what the module does not bind."""
        at: Function | None = function
        while at is not None:
            if name in at.bound:
                return at
            at = at.parent
        return None

    def method(self, cls: Class, name: str) -> Function | None:
        """Return the method *name* of *cls* or of its bases, as far as they stand in the module."""
        todo, seen = [cls], set()
        while todo:
            at = todo.pop(0)
            if at.number in seen:
                continue
            seen.add(at.number)
            if name in at.methods:
                return at.methods[name]
            names = (getattr(base, "id", getattr(base, "attr", "")) for base in at.node.bases)
            todo += [self.classes[base] for base in names if base in self.classes]
        return None

    def _function(self, node: ast.AST, name: str, parent: Function | None, cls: Class | None) -> Function:
        assert isinstance(node, Callable | ast.Module)
        made = Function(node, name, len(self.functions), parent, cls, parameters(node))
        made.bound |= set(made.params)
        self.functions.append(made)
        self.by_node[node] = made
        return made

    def _walk(self) -> None:
        todo: list[tuple[ast.AST, Function, Class | None, str]] = [(self.tree, self.root, None, "")]
        while todo:
            node, function, cls, prefix = todo.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, Shared):
                    continue
                self.parents[child] = node
                self.owners[child] = function
                function.nodes.append(child)
                todo.append((child, *self._inside(node, child, function, cls, prefix)))

    def _inside(
        self, node: ast.AST, child: ast.AST, function: Function, cls: Class | None, prefix: str
    ) -> tuple[Function, Class | None, str]:
        """Return function, class and prefix for what is inside *child*, a child of *node*."""
        if isinstance(child, Callable):
            name = prefix + getattr(child, "name", "<lambda>")
            made = self._function(child, name, function, cls if isinstance(node, ast.ClassDef) else None)
            if cls is not None and isinstance(node, ast.ClassDef):
                cls.methods.setdefault(made.name.rsplit(".", 1)[-1], made)
            return made, None, f"{name}."
        if isinstance(child, ast.ClassDef):
            new = Class(child, len(self.classes))
            new.fields += [
                each.target.id
                for each in child.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            self.classes.setdefault(child.name, new)
            return function, new, f"{prefix}{child.name}."
        return function, cls, prefix

    def _bind(self) -> None:
        for function in self.functions:
            freed: set[str] = set()
            for node in function.nodes:
                if isinstance(node, ast.Global | ast.Nonlocal):
                    freed |= set(node.names)
                elif isinstance(node, ast.Yield | ast.YieldFrom):
                    function.generates = True
                elif not isinstance(self.parents[node], ast.ClassDef):
                    function.bound |= set(names_bound(node))
            function.bound -= freed


def parameters(node: ast.AST) -> tuple[str, ...]:
    """Return the names of the parameters of a function, in order, without ``*`` and ``**``."""
    args = getattr(node, "args", None)
    if not isinstance(args, ast.arguments):
        return ()
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return tuple(each.arg for each in every)


def names_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that *node* itself binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield (alias.asname or alias.name).split(".")[0]
        case ast.arg(arg=name):
            yield name
        case _:
            pass
