"""What one node of a syntax tree says about names: assigned, gone through, put into.

A name is a dotted string: ``results``, ``self.history``. It reads any valid Python and never raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["value", "item", "part", "element", "extension", "key", "parameter", "other"]

ADDS_ONE = {"append": 1, "add": 1, "insert": 2, "appendleft": 1}
"""Methods that put their last argument into a list, and how many arguments they have."""
ADDS_MANY = {"extend", "update", "extendleft"}


@dataclass(frozen=True, slots=True)
class Binding:
    """One way in which a name gets a value, or something is put into what it holds.

    ``value``: it is *expr*. ``item``: one of *expr*, in turn. ``part``: the part at *index* of *expr*, or
    of each of *expr* where *looped*. ``element``: *expr* is put into it. ``extension``: all of *expr* is.
    ``key``: *expr* is put under *key*. ``parameter``: what callers give; *node* is the ``ast.arg``.
    ``other``: something else.
    """

    kind: Kind
    node: ast.AST
    expr: ast.expr | None = None
    index: int | None = None
    key: ast.expr | None = None
    looped: bool = False


Bound = tuple[ast.expr | str, Binding]


def dotted(node: ast.AST | None) -> str | None:
    """Return ``a.b.c`` for a name or a chain of attributes on one, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def called(call: ast.AST | None) -> str:
    """Return the bare name that *call* calls: ``create`` of ``client.messages.create(…)``; "" if none."""
    func = call.func if isinstance(call, ast.Call) else None
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def starred(nodes: Iterable[ast.expr]) -> bool:
    """Say whether one of *nodes* is ``*something``, so that places say nothing."""
    return any(isinstance(node, ast.Starred) for node in nodes)


def bindings_of(node: ast.AST) -> Iterator[Bound]:
    """Yield what *node* binds, each with its target: an expression or a name."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _values(target, value, node)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _values(target, value, node)
        case ast.NamedExpr(target=target, value=value):
            yield from _values(target, value, node)
        case ast.AugAssign(target=target, value=value):
            yield target, Binding("extension", node, value)
        case ast.For(target=target, iter=items) | ast.AsyncFor(target=target, iter=items):
            yield from _items(target, items, node)
        case ast.comprehension(target=target, iter=items):
            yield from _items(target, items, node)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _others(target, node, node.context_expr)
        case ast.arg(arg=name):
            yield name, Binding("parameter", node)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, Binding("other", node)
        case ast.Call(func=ast.Attribute(value=holder, attr=verb)):
            yield from _put_in(holder, verb, node)
        case _:
            pass


def _put_in(holder: ast.expr, verb: str, call: ast.Call) -> Iterator[Bound]:
    """Yield what a method call puts into *holder*."""
    if ADDS_ONE.get(verb) == len(call.args) and not call.keywords:
        yield holder, Binding("element", call, call.args[-1])
    elif verb in ADDS_MANY and len(call.args) == 1:
        yield holder, Binding("extension", call, call.args[0])
    elif verb == "setdefault" and len(call.args) == 2:
        yield holder, Binding("key", call, call.args[1], key=call.args[0])
    if verb == "update":
        for keyword in call.keywords:
            if keyword.arg is not None:
                key = ast.copy_location(ast.Constant(keyword.arg), keyword.value)
                yield holder, Binding("key", call, keyword.value, key=key)


def _values(target: ast.expr, value: ast.expr, node: ast.AST) -> Iterator[Bound]:
    """Yield what ``target = value`` binds."""
    if isinstance(target, ast.Tuple | ast.List):
        whole = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        parts = value.elts if whole and isinstance(value, ast.Tuple | ast.List) else []
        split = bool(parts) and not starred(target.elts) and not starred(parts)
        for index, each in enumerate(target.elts):
            if split:
                yield from _values(each, parts[index], node)
            else:
                yield from _part(each, Binding("part", node, value, index))
    elif isinstance(target, ast.Subscript):
        yield target.value, Binding("key", node, value, key=target.slice)
    else:
        yield target, Binding("value", node, value)


def _part(target: ast.expr, binding: Binding) -> Iterator[Bound]:
    """Yield the binding of one target of several."""
    if isinstance(target, ast.Starred | ast.Tuple | ast.List):
        yield from _others(target, binding.node, None)
    else:
        yield target, binding


def _others(target: ast.expr, node: ast.AST, expr: ast.expr | None) -> Iterator[Bound]:
    """Yield that everything in *target* is bound somehow."""
    if isinstance(target, ast.Starred):
        yield from _others(target.value, node, expr)
    elif isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from _others(each, node, None)
    else:
        yield target, Binding("other", node, expr)


def _items(target: ast.expr, items: ast.expr, node: ast.AST) -> Iterator[Bound]:
    """Yield what going through *items* binds."""
    lists = items.args if isinstance(items, ast.Call) and not starred(items.args) else []
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, Binding("item", node, items)
    elif called(items) == "zip" and len(lists) == len(target.elts):
        for each, one in zip(target.elts, lists, strict=True):
            yield from _items(each, one, node)
    elif called(items) == "enumerate" and lists and len(target.elts) == 2:
        yield from _others(target.elts[0], node, None)
        yield from _items(target.elts[1], lists[0], node)
    else:
        for index, each in enumerate(target.elts):
            yield from _part(each, Binding("part", node, items, index, looped=True))
