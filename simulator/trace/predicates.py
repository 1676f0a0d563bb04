"""What a piece of a loop's syntax tree does: asks the model, looks at the signal, sets a limit, leaves.

Rule of this file: names decide. Nothing is evaluated and nothing is followed across files.
"""

from __future__ import annotations

import ast

from simulator.trace.events import SIGNALS

ASKING = frozenset({"create", "stream", "parse", "tool_runner"})
"""Methods of the SDK that ask the model."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SIZES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def asks(node: ast.AST, asking: frozenset[str]) -> bool:
    """Return whether *node* calls the model, or a function of the source whose name is among *asking*."""
    called = (inside.func for inside in ast.walk(node) if isinstance(inside, ast.Call))
    return any(
        (isinstance(func, ast.Attribute) and (func.attr in ASKING or func.attr in asking))
        or (isinstance(func, ast.Name) and func.id in asking)
        for func in called
    )


def looks_at_signal(test: ast.AST) -> bool:
    """Return whether *test* mentions ``stop_reason``, or compares something with one of its values."""
    for node in ast.walk(test):
        name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
        if name == "stop_reason":
            return True
        if isinstance(node, ast.Compare) and not any(map(_is_type, (node.left, *node.comparators))):
            values = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            if any(value in SIGNALS for value in values if isinstance(value, str)):
                return True
    return False


def is_limit(test: ast.AST) -> bool:
    """Return whether *test* compares by size or with a figure; whether a list is empty is no limit."""
    for node in ast.walk(test):
        if not isinstance(node, ast.Compare) or _counts_nothing(node):
            continue
        sides = (node.left, *node.comparators)
        figure = any(isinstance(s, ast.Constant) and type(s.value) in (int, float) for s in sides)
        named = all(isinstance(side, (ast.Name, ast.Attribute)) for side in sides)
        equal = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        if isinstance(node.ops[0], _SIZES) or (equal and (figure or named)):
            return True
    return False


def _counts_nothing(node: ast.Compare) -> bool:
    left, right = node.left, node.comparators[0]
    called = isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len"
    return called and isinstance(right, ast.Constant) and right.value in (0, 1)


def _is_type(node: ast.AST) -> bool:
    """Return whether *node* reads a block's type: ``block.type``, ``block["type"]``, ``.get("type")``."""
    if isinstance(node, ast.Attribute):
        return node.attr == "type"
    key: ast.AST | None = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and node.args:
        key = node.args[0]
    return isinstance(key, ast.Constant) and key.value == "type"


def asking_functions(tree: ast.Module) -> frozenset[str]:
    """Return the names of the functions that ask the model, themselves or by way of each other."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    names: frozenset[str] = frozenset()
    while True:
        found = frozenset(node.name for node in functions if asks(node, names))
        if found <= names:
            return names
        names |= found


def leaves(body: list[ast.stmt]) -> bool:
    """Return whether a way out of *body* leaves the block it stands in."""
    return any(_leaves_by(node, in_loop=False) for node in body)


def _leaves_by(node: ast.AST, in_loop: bool) -> bool:
    if isinstance(node, _FUNCTIONS):
        return False
    if isinstance(node, (ast.Return, ast.Raise)):
        return True
    if isinstance(node, (ast.Break, ast.Continue)):
        return not in_loop
    inside = in_loop or isinstance(node, LOOPS)
    return any(_leaves_by(child, inside) for child in ast.iter_child_nodes(node))
