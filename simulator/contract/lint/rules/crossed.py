"""Which call a tool result answers, and whether its id is another call's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint.bindings import Binding, called, dotted
from simulator.contract.lint.facts import Module
from simulator.contract.lint.kinds import bases
from simulator.contract.lint.shapes import Shape
from simulator.contract.lint.sources import Comprehension, Function

CALLS = frozenset({"*call", "*block"})
ORDERED = frozenset({"sorted", "reversed", "as_completed"})
"""Calls that give what they are given in another order."""
IN_ORDER = frozenset({"list", "tuple", "map", "gather", "enumerate"})


def around(module: Module, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield target and source of the loops and comprehensions that *node* runs in, within its function."""
    for up in module.index.ancestors(node):
        if isinstance(up, ast.For | ast.AsyncFor):
            yield up.target, up.iter
        elif isinstance(up, Comprehension):
            yield from ((each.target, each.iter) for each in up.generators)
        elif isinstance(up, Function | ast.Lambda | ast.ClassDef):
            return


def call_of(module: Module, shape: Shape) -> str | None:
    """Return the source of the id of the call that *shape* answers; None where that is not plain."""
    targets = [each for target, _ in around(module, shape.node) for each in ast.walk(target)]
    names = {each.id for each in targets if isinstance(each, ast.Name)}
    function = module.turns.sources.function(shape.node)
    if function is not None:
        names |= {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    calls = {
        node.id
        for node in ast.walk(function or module.tree)
        if isinstance(node, ast.Name) and node.id in names and "call" in module.of(node)
    }
    spelt = _spelt(module)
    return None if len(calls) != 1 or spelt is None else spelt.format(*calls)


def _spelt(module: Module) -> str | None:
    """Return how the module reads a field of a call: all by attribute, or all by key."""
    ways = {
        type(node)
        for node in module.index.parents
        if isinstance(node, ast.Attribute | ast.Subscript) and module.of(node.value) == {"call"}
    }
    return {ast.Attribute: "{}.id", ast.Subscript: '{}["id"]'}[ways.pop()] if len(ways) == 1 else None


def kept_by_name(module: Module) -> Iterator[ast.expr]:
    """Yield where results are kept under the name of the tool: of two calls of one tool the last wins."""
    nodes = {shape.node for shape in module.turns.results}
    for node in module.index.parents:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and node.value in nodes:
            target = node.targets[0]
            if (
                isinstance(target, ast.Subscript)
                and module.of(target.slice) == {"call_name"}
                and _over_calls(module, node)
            ):
                yield target
        elif isinstance(node, ast.DictComp) and node.value in nodes and module.of(node.key) == {"call_name"}:
            yield node.key


def _over_calls(module: Module, node: ast.AST) -> bool:
    """Say whether *node* runs for each call of an answer."""
    return any(module.of(source) & CALLS for _, source in around(module, node))


def crossed(module: Module, shape: Shape, value: ast.expr) -> bool:
    """Say whether *value*, the id of the result *shape*, is surely not that of its own call."""
    return _popped(module, shape, value) or _reordered(module, value) or _of_all(module, shape, value)


def of_first(module: Module, shape: Shape, value: ast.expr) -> bool:
    """``calls[0].id`` for each of the calls."""
    match value:
        case (
            ast.Attribute(value=holder, attr="id")
            | ast.Subscript(value=holder, slice=ast.Constant(value="id"))
        ):
            fixed = isinstance(holder, ast.Subscript) and isinstance(holder.slice, ast.Constant | ast.UnaryOp)
            if not (fixed and isinstance(holder, ast.Subscript) and module.of(holder.value) & CALLS):
                return False
            wanted = ast.dump(holder.value)
            return any(ast.dump(source) == wanted for _, source in around(module, shape.node))
        case _:
            return False


def _popped(module: Module, shape: Shape, value: ast.expr) -> bool:
    """``ids.pop()``: the last id first, where the calls are gone through from the first one on."""
    match value:
        case ast.Call(func=ast.Attribute(value=holder, attr="pop"), args=[], keywords=[]):
            given = [each for each in module.turns.sources.bindings(holder) if each.kind == "value"]
            forward = len(given) == 1 and order(module, given[0].expr) == "calls"
            return forward and any(
                order(module, source) == "calls" for _, source in around(module, shape.node)
            )
        case _:
            return False


def _item(module: Module, value: ast.expr) -> Binding | None:
    """Return the binding of a name that goes through a list, and nothing else."""
    bound = module.turns.sources.bindings(value) if isinstance(value, ast.Name) else []
    return bound[0] if len(bound) == 1 and bound[0].kind == "item" else None


def _reordered(module: Module, value: ast.expr) -> bool:
    """The ids and the outcomes come from two lists, side by side, in two orders."""
    holder = value.value if isinstance(value, ast.Attribute) and value.attr == "id" else value
    binding = _item(module, holder)
    source = getattr(binding.node, "iter", None) if binding else None
    if binding is None or called(source) != "zip" or not isinstance(source, ast.Call):
        return False
    orders = {order(module, each) for each in source.args}
    return None not in orders and len(orders) > 1


def order(module: Module, node: ast.expr | None, steps: int = 8) -> str | None:
    """Return the order in which *node* goes through the calls: ``calls``, their own; None where unknown."""
    if node is None or steps <= 0:
        return None
    match node:
        case ast.ListComp(generators=[one]) | ast.GeneratorExp(generators=[one]):
            return order(module, one.iter, steps - 1)
        case ast.Call(args=[first, *rest]) if called(node) in ORDERED | IN_ORDER:
            inner = order(module, first.value if isinstance(first, ast.Starred) else first, steps - 1)
            if called(node) == "map":
                return order(module, rest[0], steps - 1) if len(rest) == 1 else None
            return called(node) if inner and called(node) in ORDERED else inner
        case ast.Await(value=value) | ast.NamedExpr(value=value):
            return order(module, value, steps - 1)
        case ast.Name():
            bound = module.turns.sources.bindings(node)
            values = [each.expr for each in bound if each.kind == "value"]
            if len(bound) == 1 and len(values) == 1 and "*call" not in module.of(node):
                return order(module, values[0], steps - 1)
            if bound and len(values) == 1 and (inner := order(module, values[0], steps - 1)):
                return inner
        case _:
            pass
    return "calls" if module.of(node) & CALLS else None


def _of_all(module: Module, shape: Shape, value: ast.expr) -> bool:
    """The content is one text made of all the outcomes, for each of them."""
    content = shape.items.get("content")
    bound = module.turns.sources.bindings(content) if isinstance(content, ast.Name) else []
    made = bound[0].expr if len(bound) == 1 and bound[0].kind == "value" else None
    if made is None or "result" not in bases(module.of(value)) | _held(module, value):
        return False
    inside = {dotted(each) for each in ast.walk(made) if isinstance(each, ast.Name)}
    return any(dotted(source) in inside for _, source in around(module, shape.node) if dotted(source))


def _held(module: Module, value: ast.expr) -> frozenset[str]:
    """Return what the thing is that *value* is a field of."""
    holder = value.value if isinstance(value, ast.Attribute | ast.Subscript) else None
    return bases(module.of(holder))


def of_all_rounds(module: Module) -> Iterator[ast.expr]:
    """Yield where a list is sent that gathers the results of all rounds: those of earlier ones once more."""
    for loop in module.loops:
        inside = set(ast.walk(loop.node)) if not loop.recursive else set()
        for turn in module.turns.all:
            content = turn.shape.items["content"]
            sent = turn.results and content in inside and isinstance(content, ast.Name)
            if sent and isinstance(content, ast.Name) and _gathers(module, content, inside):
                yield content


def _gathers(module: Module, content: ast.Name, inside: set[ast.AST]) -> bool:
    """Say whether *content* is made before the loop, filled in it, and never emptied."""
    bound = module.turns.sources.bindings(content)
    made = [each for each in bound if each.kind == "value"]
    filled = [each for each in bound if each.kind in ("element", "extension")]
    if len(made) != 1 or not filled or len(bound) != len(made) + len(filled):
        return False
    if made[0].node in inside or not all(each.node in inside for each in filled):
        return False
    function = module.turns.sources.function(made[0].node)
    if function is not module.turns.sources.function(content):
        return False
    # Whatever else is done with it may empty it.
    known = 1 + len(filled) + 1
    uses = [n for n in ast.walk(function or module.tree) if isinstance(n, ast.Name) and n.id == content.id]
    return len(uses) == known and isinstance(made[0].expr, ast.List) and not made[0].expr.elts
