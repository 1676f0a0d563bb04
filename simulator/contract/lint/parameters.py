"""Edits that make a number of a body a parameter of its function."""

from __future__ import annotations

import ast

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Place
from simulator.contract.lint.reading import Function

NAME = "max_iterations"


def limit_as_parameter(module: Module, function: Function, literal: ast.Constant) -> tuple[Edit, ...]:
    """Return edits that give *function* a keyword parameter with *literal* as its default, and use it.

    None where the function takes any keyword, or where the name is in use.
    """
    node = function.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.args.kwarg or not _free(module):
        return ()
    default = f"{NAME}={literal.value!r}"
    if node.args.kwonlyargs:
        last: ast.AST = node.args.kw_defaults[-1] or node.args.kwonlyargs[-1]
        text = f", {default}"
    elif node.args.vararg:
        last, text = node.args.vararg, f", {default}"
    else:
        every = [*node.args.posonlyargs, *node.args.args, *node.args.defaults]
        if not every or (node.args.posonlyargs and not node.args.args):
            return ()
        last, text = (
            max(every, key=_end),
            f", *, {default}",
        )
    end = module.place(last)
    if _in_brackets(module, end):
        return ()
    here = Place(end.end_line, end.end_column, end.end_line, end.end_column)
    return Edit(here, text), Edit(module.place(literal), NAME)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _free(module: Module) -> bool:
    """True where the name is nowhere in the module."""
    return NAME not in module.source


def _in_brackets(module: Module, end: Place) -> bool:
    """True where a bracket closes behind a default (``x=(1)``): the parser does not tell where."""
    rest = module.lines[end.end_line - 1][end.end_column - 1 :].lstrip()
    return rest.startswith(")") and not rest[1:].lstrip().startswith((":", "->"))
