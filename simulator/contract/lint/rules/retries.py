"""Every error of the API is taken for a bad moment: what can never succeed is asked again (AL14).

Rules of this file:

1. A retry is an ``except`` around the request after which the same request is sent again: in a loop over
   tries, or by calling the function anew. A loop over tasks goes on to the next one, a chat asks its user.
2. Whoever looks at the error, in whatever way, hands it to somebody, catches the permanent ones first, or
   changes what is asked, is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from simulator.contract.lint.bindings import called, dotted
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.loops import PEOPLE, AgentLoop
from simulator.contract.lint.rules.errors import TRIES, caught
from simulator.contract.lint.rules.looked import LOGS, uses
from simulator.contract.lint.rules.telling import brief, found
from simulator.contract.lint.sources import Function

ALIKE = frozenset({"Exception", "BaseException", "APIError", "APIStatusError", "AnthropicError"})
"""Classes that hold errors which pass and errors which never do."""
PERMANENT = frozenset(
    {
        *("BadRequestError", "AuthenticationError", "PermissionDeniedError", "NotFoundError"),
        *("UnprocessableEntityError", "ConflictError", "RequestTooLargeError", "APIStatusError", "APIError"),
        *("AnthropicError", "Exception"),
    }
)
HARMLESS = LOGS | {
    *("sleep", "min", "max", "random", "uniform", "jitter", "str", "repr", "format", "int", "float", "pow"),
    *("range", "len", "round", "type", "format_exc", "monotonic", "time"),
}
"""Calls in a handler that neither look at the error nor change what is asked."""


def permanent(module: Module) -> Iterator[Finding]:
    """AL14: a retry that does not tell errors apart."""
    seen: set[ast.AST] = set()
    for loop in module.loops:
        for node in loop.nodes:
            if isinstance(node, TRIES) and node not in seen and _asks(module, loop, node.body):
                seen.add(node)
                yield from _of_try(module, node)
        for function in _askers(module, loop):
            for decorator in function.decorator_list:
                if decorator not in seen and _decorated(module, decorator):
                    seen.add(decorator)
                    yield found(module, "AL14", decorator, {"caught": brief(module, decorator)})


def _asks(module: Module, loop: AgentLoop, body: Iterable[ast.stmt]) -> bool:
    """Say whether *body* sends the request, by itself or through helpers."""
    asking = {module.function(ask).node for ask in loop.asks}
    for statement in body:
        for node in ast.walk(statement):
            if node in loop.asks:
                return True
            if isinstance(node, ast.Call) and any(f.node in asking for f in module.values.targets(node)):
                return True
    return False


def _askers(module: Module, loop: AgentLoop) -> Iterator[Function]:
    """Yield the functions that send the request."""
    for ask in loop.asks:
        function = module.turns.sources.function(ask)
        if function is not None:
            yield function


def _of_try(module: Module, node: ast.Try | ast.TryStar) -> Iterator[Finding]:
    """Yield the handler of *node* that asks again whatever has happened."""
    before: set[str] = set()
    for handler in node.handlers:
        names = caught(handler)
        if names & ALIKE and not before & PERMANENT and _alike(handler) and _again(module, node, handler):
            what = brief(module, handler.type) if handler.type is not None else "except:"
            yield Finding("AL14", module.head(handler), module.function(handler).name, {"caught": what})
            return
        before |= names


def _alike(handler: ast.ExceptHandler) -> bool:
    """Say whether nothing in *handler* looks at the error, or changes what is asked."""
    told: set[ast.AST] = set()
    if _tested(handler):
        return False
    for statement in handler.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and not _harmless(node) and not _recurses(node, handler):
                return False
            if isinstance(node, ast.Assign | ast.AugAssign) and not _plain(node):
                return False
            if called(node) in LOGS | {"str", "repr", "format"} or isinstance(node, ast.FormattedValue):
                told |= set(ast.walk(node))
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                told.add(node.value)
            if isinstance(node, ast.Raise):
                told |= set(ast.walk(node))
    return all(name in told for name in uses(handler))


def _tested(handler: ast.ExceptHandler) -> bool:
    """Say whether a test in *handler* goes by the error, or by something that was made of it."""
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    names = {handler.name}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.NamedExpr) and names & _names(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {name for target in targets for name in _names(target)}
    tests = (each.test for each in nodes if isinstance(each, ast.If | ast.IfExp | ast.While))
    subjects = (each.subject for each in nodes if isinstance(each, ast.Match))
    return any(names & _names(each) for each in (*tests, *subjects))


def _names(node: ast.AST) -> set[str | None]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _harmless(call: ast.Call) -> bool:
    """Say whether *call* neither looks at the error nor changes what is asked; ``print_error`` tells."""
    return called(call) in HARMLESS or called(call).startswith(("print_", "log_", "show_", "warn_"))


def _plain(node: ast.Assign | ast.AugAssign) -> bool:
    """Say whether only names are assigned: a count, a delay, the last error."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(each, ast.Name) and "messages" not in each.id for each in targets)


def _recurses(node: ast.Call, handler: ast.ExceptHandler) -> bool:
    """Say whether *node* is what a ``return`` in *handler* gives back."""
    returns = (each.value for each in handler.body if isinstance(each, ast.Return))
    return any(node is (each.value if isinstance(each, ast.Await) else each) for each in returns)


def _again(module: Module, node: ast.Try | ast.TryStar, handler: ast.ExceptHandler) -> bool:
    """Say whether the same request is sent again after *handler*."""
    last = handler.body[-1]
    if isinstance(last, ast.Return):
        value = last.value.value if isinstance(last.value, ast.Await) else last.value
        function = module.turns.sources.function(node)
        return isinstance(value, ast.Call) and function is not None and called(value) == function.name
    if isinstance(last, ast.Raise | ast.Break):
        return False
    loop = next(module.turns.sources.loops(node), None)
    return (
        loop is not None
        and _over_tries(loop, node)
        and (isinstance(last, ast.Continue) or not _leaves_after(module, loop, node))
    )


def _over_tries(loop: ast.For | ast.AsyncFor | ast.While, node: ast.Try | ast.TryStar) -> bool:
    """Say whether *loop* sends the same again each time: it is no loop over tasks, and no chat."""
    if any(called(each) in PEOPLE for each in ast.walk(loop)):
        return False
    if isinstance(loop, ast.While):
        return True
    names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    inside = (each for statement in node.body for each in ast.walk(statement))
    used = any(isinstance(each, ast.Name) and each.id in names for each in inside)
    counts = called(loop.iter) in ("range", "count", "repeat") or isinstance(loop.iter, ast.Tuple | ast.List)
    return counts and not used


def _leaves_after(module: Module, loop: ast.AST, node: ast.AST) -> bool:
    """Say whether the loop is left right after the ``try``, whatever happened in it."""
    child = node
    for up in module.index.ancestors(node):
        for name in ("body", "orelse"):
            statements = getattr(up, name, None)
            if isinstance(statements, list) and child in statements:
                rest = statements[statements.index(child) + 1 :]
                if any(isinstance(each, ast.Return | ast.Raise | ast.Break) for each in rest):
                    return True
        if up is loop:
            return False
        child = up
    return False


def _decorated(module: Module, node: ast.expr) -> bool:
    """Say whether the decorator *node* calls again after every exception: tenacity's and backoff's."""
    call = node if isinstance(node, ast.Call) else None
    name = dotted(call.func if call else node) or ""
    keywords = {each.arg for each in call.keywords} if call else set()
    if name in ("retry", "tenacity.retry") and "tenacity" in module.source:
        plain = call is None or (not call.args and None not in keywords)
        when = [each.value for each in call.keywords if each.arg == "retry"] if call else []
        return plain and all(_any_type(each) for each in when)
    if name.rpartition(".")[2] == "on_exception" and call is not None and len(call.args) > 1:
        return _holds_all(call.args[1]) and not keywords & {"giveup", None}
    return False


def _any_type(node: ast.expr) -> bool:
    """Say whether *node* is ``retry_if_exception_type(Exception)``, or of another class that holds all."""
    if called(node) != "retry_if_exception_type" or not isinstance(node, ast.Call) or node.keywords:
        return False
    return not node.args or _holds_all(node.args[0])


def _holds_all(types: ast.expr) -> bool:
    """Say whether one of *types* holds errors that pass and errors that never do."""
    given = types.elts if isinstance(types, ast.Tuple) else [types]
    return bool({(dotted(each) or "").rpartition(".")[2] for each in given} & ALIKE)
