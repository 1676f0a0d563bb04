"""Where in a compiled file a thing is: found in the file's own syntax tree, so that no line number is kept.

Rules of this file:

1. A function or class says what it carries out in a comment above it: ``# Contract: /budget /progress``.
2. A criterion is there when each of its marks is. A mark is what a reviewer would look for: the line that
   reads ``stop_reason``, the raise, the key ``tool_use_id``. That it works is for the gate to show.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from simulator.contract.model import Contract

_COMMENT = "# Contract: "
_RECORDS = ("debug", "info", "warning", "error", "exception", "log")
"""The methods of a logger."""

Mark = Callable[[ast.AST], bool]


@dataclass(frozen=True, slots=True)
class Part:
    """One function or class at the top of the file."""

    name: str
    first: int
    last: int
    """Lines, counted from 1, both included."""
    carries: tuple[str, ...]
    """JSON pointers of the entries it carries out."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A line, and the part it is in."""

    part: str
    line: int


def parts(source: str) -> list[Part]:
    """Return the functions and classes of *source*, in the order of the file."""
    lines = source.splitlines()
    return [
        Part(node.name, _first(node), node.end_lineno or node.lineno, _carried(lines, _first(node)))
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _carried(lines: list[str], first: int) -> tuple[str, ...]:
    """Return what the comment above line *first* names; the comment may have several lines."""
    above = first - 2
    while above >= 0 and lines[above].startswith("#"):
        if lines[above].startswith(_COMMENT):
            return tuple(lines[above].removeprefix(_COMMENT).split())
        above -= 1
    return ()


def parameters(source: str, function: str) -> list[str]:
    """Return the names of the parameters of *function*, a star before those that are given by name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            first = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            named = [argument.arg for argument in node.args.kwonlyargs]
            return [*first, "*", *named] if named else first
    return []


def criteria(source: str, contract: Contract) -> dict[int, list[Spot]]:
    """Return where each of the seven criteria is; an empty list: one of its marks is not in the file."""
    tree = ast.parse(source)
    nodes = list(_walk(tree))
    found: dict[int, list[Spot]] = {}
    for number, marks in _marks(contract).items():
        spots = [[Spot(part, line) for part, line, node in nodes if mark(node)] for mark in marks]
        merged = {spot for each in spots for spot in each} if all(spots) else set()
        found[number] = sorted(merged, key=lambda spot: spot.line)
    return found


def _walk(tree: ast.Module) -> Iterator[tuple[str, int, ast.AST]]:
    """Yield every node inside a function or class: the name of that, its line, the node."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for node in ast.walk(top):
                yield top.name, getattr(node, "lineno", top.lineno), node


def _marks(contract: Contract) -> Mapping[int, tuple[Mark, ...]]:
    named = [name for name, action in contract.signals.items() if action.do != "raise"]
    failing: Mark = _has_key("is_error") if contract.handlers.on_error == "tell" else _is_raise
    return {
        1: (_reads_signal,),
        2: (*map(_compares, named), _calls("UnhandledStop")),
        3: (_goes_through_calls,),
        4: (_has_key("tool_use_id"), _has_role("user")),
        5: (_calls("BudgetExceeded"),),
        6: (failing, _is_raise),
        7: (_records,),
    }


def _reads_signal(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="stop_reason", ctx=ast.Load()):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value="stop_reason"), *_]):
            return True
        case _:
            return False


def _compares(signal: str) -> Mark:
    """Return the mark of a place that tells *signal* from others: a comparison, a case, a key."""

    def mark(node: ast.AST) -> bool:
        match node:
            case ast.Compare(left=left, comparators=values):
                return not _is_type(left) and any(_names(value, signal) for value in values)
            case ast.MatchValue(value=value):
                return _names(value, signal)
            case ast.Dict(keys=keys):
                return any(key is not None and _names(key, signal) for key in keys)
            case _:
                return False

    return mark


def _names(node: ast.expr, text: str) -> bool:
    """Return whether *node* is the string *text*, or a tuple, set or list with it."""
    if isinstance(node, ast.Tuple | ast.Set | ast.List):
        return any(_names(each, text) for each in node.elts)
    return isinstance(node, ast.Constant) and node.value == text


def _calls(name: str) -> Mark:
    return lambda node: (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    )


def _goes_through_calls(node: ast.AST) -> bool:
    """Return whether *node* goes through calls, or through blocks to find those of the type ``tool_use``."""
    if isinstance(node, ast.For):
        return isinstance(node.iter, ast.Attribute) and node.iter.attr == "calls"
    return isinstance(node, ast.ListComp | ast.GeneratorExp) and any(map(_tells_type, ast.walk(node)))


def _tells_type(node: ast.AST) -> bool:
    """Return whether *node* compares a block's ``type`` with ``tool_use``."""
    if not isinstance(node, ast.Compare) or not _is_type(node.left):
        return False
    return any(_names(value, "tool_use") for value in node.comparators)


def _is_type(node: ast.expr) -> bool:
    """Return whether *node* reads the ``type`` of a block, as an attribute or under a key."""
    return any(
        (isinstance(each, ast.Attribute) and each.attr == "type")
        or (isinstance(each, ast.Constant) and each.value == "type")
        for each in ast.walk(node)
    )


def _has_key(key: str) -> Mark:
    return lambda node: (
        isinstance(node, ast.Dict) and any(each is not None and _names(each, key) for each in node.keys)
    )


def _has_role(role: str) -> Mark:
    return lambda node: (
        isinstance(node, ast.Dict)
        and any(
            key is not None and _names(key, "role") and _names(value, role)
            for key, value in zip(node.keys, node.values, strict=True)
        )
    )


def _is_raise(node: ast.AST) -> bool:
    """Return whether *node* raises something anew; a bare ``raise`` hands on what another raised."""
    return isinstance(node, ast.Raise) and node.exc is not None


def _records(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="on_event" | "record") | ast.Attribute(attr="on_event")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)):
            return "log" in owner.lower() and method in _RECORDS
        case _:
            return False
