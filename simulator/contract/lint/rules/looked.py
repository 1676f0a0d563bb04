"""What becomes of an exception that was caught: told, kept, looked at afterwards, or nothing at all."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from simulator.contract.lint.bindings import called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.following import own
from simulator.contract.lint.sources import Function

LOGS = frozenset(
    {
        *("print", "pprint", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"),
        *("print_exc", "write", "secho", "echo", "capture_exception", "record_exception", "trace"),
    }
)
"""Calls by which people are told."""
AS_TEXT = frozenset({"str", "repr", "type", "format", "format_exc", "isinstance"}) | LOGS


def leaves(inside: Iterable[ast.AST]) -> bool:
    """Say whether the program is left."""
    return any(called(node) in ("exit", "_exit", "quit", "abort") for node in inside)


def uses(handler: ast.ExceptHandler) -> list[ast.Name]:
    """Return the places in *handler* that read the exception."""
    nodes = (each for statement in handler.body for each in ast.walk(statement))
    return [each for each in nodes if isinstance(each, ast.Name) and each.id == handler.name]


def kept(handler: ast.ExceptHandler) -> bool:
    """Say whether the exception itself, and not only its text, goes on to somewhere."""
    texts: set[ast.AST] = set()
    for statement in handler.body:
        for node in ast.walk(statement):
            if called(node) in AS_TEXT or isinstance(node, ast.FormattedValue | ast.Attribute):
                texts |= set(ast.walk(node))
            elif called(node) == "exc_info":
                return True
    return any(name not in texts for name in uses(handler))


def nothing_left(module: Module, node: ast.Try | ast.TryStar, handler: ast.ExceptHandler) -> bool:
    """Say whether nothing of what *handler* catches goes on, and nobody looks at what is there instead."""
    if not all(_nothing(each, handler) for each in handler.body):
        return False
    function = module.turns.sources.function(node)
    names = set(_assigned(node.body)) | set(_assigned(handler.body))
    returns = any(isinstance(each, ast.Return) for each in handler.body)
    around = own(function) if function is not None else module.index.parents
    if _looks(around, names, node):
        return False
    return not (returns and function is not None and _callers_look(module, function))


def _nothing(statement: ast.stmt, handler: ast.ExceptHandler) -> bool:
    """Say whether *statement* lets nothing of the exception go on."""
    match statement:
        case ast.Pass() | ast.Continue() | ast.Break() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            return called(call) in LOGS
        case ast.Assign(targets=targets, value=value):
            return all(isinstance(each, ast.Name) for each in targets) and _lost(value, handler)
        case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
            return _lost(value, handler)
        case ast.Return(value=value):
            return value is None or _lost(value, handler)
        case _:
            return False


def _lost(value: ast.expr, handler: ast.ExceptHandler) -> bool:
    """Say whether *value* is nothing, or a text that is the same whatever was raised."""
    match value:
        case ast.Constant(value=None | str()) | ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Tuple(elts=[]):
            return True
        case ast.JoinedStr():
            return not any(node in uses(handler) or called(node) == "format_exc" for node in ast.walk(value))
        case _:
            return False


def _assigned(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names that *body* assigns."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _looks(nodes: Iterable[ast.AST], names: set[str], apart: ast.AST | None) -> bool:
    """Say whether one of *nodes*, but for those in *apart*, tests one of *names*, or tells of an error."""
    inside = set(ast.walk(apart)) if apart is not None else set()
    for node in nodes:
        if node in inside:
            continue
        if isinstance(node, ast.Constant | ast.keyword | ast.Attribute) and "is_error" in (
            getattr(node, "value", None),
            getattr(node, "arg", None),
            getattr(node, "attr", None),
        ):
            return True
        if any(isinstance(each, ast.Name) and each.id in names for each in _tested(node)):
            return True
    return False


def _tested(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that *node* decides by."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Match(subject=test):
            yield from ast.walk(test)
        case ast.BoolOp() | ast.Compare():
            yield from ast.walk(node)
        case ast.comprehension(ifs=tests):
            for each in tests:
                yield from ast.walk(each)
        case _:
            pass


def _callers_look(module: Module, function: Function) -> bool:
    """Say whether those who call *function* test what it gives; where nobody calls it here, somebody may."""
    sites = module.turns.sources.sites(function)
    for site in sites:
        caller = module.turns.sources.function(site)
        nodes = list(own(caller)) if caller is not None else list(module.index.parents)
        names = _getting(nodes, module.turns.sources.statement(site), site)
        tested = any(site in set(_tested(node)) for node in nodes)
        if tested or _looks(nodes, names, None):
            return True
    return not sites


def _getting(nodes: Iterable[ast.AST], statement: ast.AST, site: ast.AST) -> set[str]:
    """Return the names in *nodes* that get what *site* gives, by itself or out of a list of such."""
    names: set[str] = set()
    if not isinstance(statement, ast.For | ast.AsyncFor | ast.While | ast.If):
        names = set(_assigned([statement]))  # type: ignore[list-item]  # it is one
        for part in (n for n in ast.walk(statement) if isinstance(n, ast.comprehension)):
            if site not in set(ast.walk(part.iter)):
                names -= _stored(part.target)
    for each in (n for n in nodes if isinstance(n, ast.For | ast.AsyncFor | ast.comprehension)):
        source = set(ast.walk(each.iter))
        if site in source or any(isinstance(n, ast.Name) and n.id in names for n in source):
            names |= _stored(each.target)
    return names


def _stored(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def left_out(module: Module, node: ast.If) -> bool:
    """Say whether *node* appends a result only where a helper says that nothing failed."""
    match node:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name() as flag), body=body, orelse=[]):
            failed = True
        case ast.If(test=ast.Name() as flag, body=body, orelse=[]):
            failed = False
        case _:
            return False
    results = {shape.node for shape in module.turns.results}
    inside = {each for statement in body for each in ast.walk(statement)}
    return bool(results & inside) and _flag(module, flag, failed) and not _else(module, node, results)


def _flag(module: Module, flag: ast.Name, failed: bool) -> bool:
    """Say whether *flag* is a part of what a helper gives, and *failed* there where something was raised."""
    bound = module.turns.sources.bindings(flag)
    if len(bound) != 1 or bound[0].kind != "part" or bound[0].index is None:
        return False
    expr = bound[0].expr.value if isinstance(bound[0].expr, ast.Await) else bound[0].expr
    for function in module.turns.sources.resolved(expr) if expr is not None else ():
        for handler in (each for each in own(function) if isinstance(each, ast.ExceptHandler)):
            for each in (n for statement in handler.body for n in ast.walk(statement)):
                match each:
                    case ast.Return(value=ast.Tuple(elts=parts)) if len(parts) > bound[0].index:
                        part = parts[bound[0].index]
                        if isinstance(part, ast.Constant) and part.value is failed:
                            return True
                    case _:
                        pass
    return False


def _else(module: Module, node: ast.If, results: set[ast.expr]) -> bool:
    """Say whether another result is made beside *node*, in the same loop."""
    loop = next(module.turns.sources.loops(node), None)
    others = set(ast.walk(loop)) if loop is not None else set(module.index.parents)
    return bool(results & (others - set(ast.walk(node))))
