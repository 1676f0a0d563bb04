"""One fragment of a stream is parsed as if it were the whole (AL13).

A fragment that is added to others first is none any more; nor is one that is only tried, and kept where it
does not parse.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint.bindings import called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.rules.telling import brief, found

LOADS = frozenset(
    {"loads", "literal_eval", "decode", "parse_raw", "model_validate_json", "from_json", "validate_json"}
)
"""Calls that read one whole JSON text."""


def fragment(module: Module) -> Iterator[Finding]:
    """AL13: ``json.loads`` on one fragment of a stream."""
    if "partial_json" not in module.source and "text_stream" not in module.source:
        return
    for node in module.index.parents:
        if not (isinstance(node, ast.Call) and node.args and _parses(node)):
            continue
        if _fragment(module, node.args[0]) and not _tried(module, node):
            yield found(module, "AL13", node, {"parsed": brief(module, node.args[0])})


def _parses(call: ast.Call) -> bool:
    """Say whether *call* parses its first argument as a whole."""
    if called(call) not in LOADS or any(each.arg in ("allow_partial", "partial") for each in call.keywords):
        return False
    if called(call) == "decode":
        return called(call.func.value) == "JSONDecoder" if isinstance(call.func, ast.Attribute) else False
    return True


def _fragment(module: Module, node: ast.expr) -> bool:
    """Say whether *node* is one fragment, and nothing that it was put together with."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return (name == "partial_json" and "fragment" in module.of(node)) or (
                name == "text" and "delta" in module.of(node.value)
            )
        case ast.BoolOp(op=ast.Or(), values=[first, *_]):
            return _fragment(module, first)
        case ast.Call(func=ast.Attribute(value=holder, attr="strip" | "encode" | "lstrip" | "rstrip")):
            return _fragment(module, holder)
        case ast.Call(
            func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(value="partial_json"), *_]
        ):
            return "delta" in module.of(holder)
        case ast.Name():
            bound = module.turns.sources.bindings(node)
            return bool(bound) and all(
                (each.kind == "value" and each.expr is not None and _fragment(module, each.expr))
                or (each.kind == "item" and _pieces(each.expr))
                for each in bound
            )
        case _:
            return False


def _pieces(node: ast.expr | None) -> bool:
    """Say whether going through *node* gives the text piece by piece."""
    return isinstance(node, ast.Attribute) and node.attr == "text_stream"


def _tried(module: Module, call: ast.Call) -> bool:
    """Say whether a fragment that does not parse is dealt with."""
    child: ast.AST = call
    for up in module.index.ancestors(call):
        if isinstance(up, ast.Try) and child in up.body:
            if any(not isinstance(each, ast.Pass | ast.Continue) for h in up.handlers for each in h.body):
                return True
        elif isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        child = up
    return False
