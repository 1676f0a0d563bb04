"""Where a block is known to be a tool_use block, because a test around it said so."""

from __future__ import annotations

import ast

from simulator.contract.lint.reading import Callable
from simulator.contract.lint.table import Comprehension, Table

TOOL_USE = "tool_use"


def is_call(table: Table, node: ast.Name) -> bool:
    """True where *node*, a block, is a tool_use block by the tests around it."""
    child: ast.AST = node
    for around in table.index.ancestors(node):
        if isinstance(around, Callable):
            return False
        if _passed(table, around, child, node.id):
            return True
        child = around
    return False


def _passed(table: Table, around: ast.AST, child: ast.AST, name: str) -> bool:
    match around:
        case ast.If(test=test, body=body):
            return (child in body and says(table, test, name, True)) or (
                child not in body and child is not test and says(table, test, name, False)
            )
        case ast.IfExp(test=test, body=yes):
            return child is yes and says(table, test, name, True)
        case ast.BoolOp(op=ast.And(), values=values) if child in values:
            return any(says(table, each, name, True) for each in values[: values.index(child)])
        case ast.For(body=body) | ast.AsyncFor(body=body) if child in body:
            return any(_skips(table, each, name) for each in body[: body.index(child)])
        case ast.match_case(pattern=pattern):
            return _means(table, pattern, table.index.parent(around), name)
        case _:
            return isinstance(around, Comprehension) and any(
                says(table, test, name, True) for each in around.generators for test in each.ifs
            )


def _skips(table: Table, node: ast.AST, name: str) -> bool:
    """True for ``if block.type != "tool_use": continue``."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.body[-1], ast.Continue)
        and says(table, node.test, name, False)
    )


def says(table: Table, test: ast.AST, name: str, yes: bool) -> bool:
    """True when *test* holds (or, for *yes* False, fails) for tool_use blocks only."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values) if yes:
            return any(says(table, each, name, yes) for each in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return says(table, operand, name, not yes)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sides = {table.constant(left), _only(table, right)}
            wanted = (
                isinstance(op, ast.Eq | ast.In | ast.Is) if yes else isinstance(op, ast.NotEq | ast.NotIn)
            )
            return wanted and TOOL_USE in sides and _mentions(test, name)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=given), kind]) if yes:
            return given == name and last_name(kind).endswith("ToolUseBlock")
        case _:
            return False


def _only(table: Table, node: ast.AST) -> object:
    if isinstance(node, ast.Tuple | ast.Set | ast.List) and len(node.elts) == 1:
        return table.constant(node.elts[0])
    value = table.constant(node)
    return value if value is None or isinstance(value, str | int | float | bool) else ...


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _means(table: Table, pattern: ast.pattern, match: ast.AST | None, name: str) -> bool:
    if not isinstance(match, ast.Match) or not _mentions(match.subject, name):
        return False
    constants = [table.constant(e.value) for e in ast.walk(pattern) if isinstance(e, ast.MatchValue)]
    kinds = [last_name(e.cls) for e in ast.walk(pattern) if isinstance(e, ast.MatchClass)]
    plain = isinstance(match.subject, ast.Name)
    by_type = constants == [TOOL_USE] or (plain and TOOL_USE in constants)
    return by_type or (plain and any(kind.endswith("ToolUseBlock") for kind in kinds))


def last_name(node: ast.AST) -> str:
    """Return the last name of a dotted one: ``create`` for ``client.messages.create``; else nothing."""
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))
