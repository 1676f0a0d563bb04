"""Only the first call of an answer is run, where several can come (AL05).

Rules of this file:

1. Taking the first block is no fault; running it and nothing else is. A loop that goes through the calls
   anywhere, asks how many there are, or forbids more than one, is left alone.
2. What runs only for a tool of a certain name (``submit``, ``finish``) is an end, and left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from simulator.contract.lint.bindings import called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.kinds import bases
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.rules.crossed import CALLS
from simulator.contract.lint.rules.running import runs_tool
from simulator.contract.lint.rules.telling import brief, found
from simulator.contract.lint.sources import Comprehension, Function


def first_only(module: Module) -> Iterator[Finding]:
    """AL05: one call is run where several can come."""
    if "disable_parallel_tool_use" in module.source:
        return
    seen: set[ast.AST] = set()
    for loop in module.loops:
        nodes = list(loop.nodes)
        if _counted(module, nodes):
            continue
        taken = [node for node in nodes if _first(module, node)]
        cut = [node for node in nodes if _cut_short(module, node) or _written_over(module, loop, node)]
        for node in [*(t for t in taken if _runs(module, loop, t)), *cut]:
            others = [each for each in nodes if each not in cut and each not in seen]
            statement = module.turns.sources.statement(node)
            if not {node, statement} & seen and not _all_run(module, others):
                seen |= {node, statement}
                shown = node.iter if isinstance(node, ast.For | ast.AsyncFor) else node
                yield found(module, "AL05", shown, {"taken": brief(module, shown)})


def _first(module: Module, node: ast.AST) -> bool:
    """Say whether *node* takes one block by its place: ``content[0]``, ``next(…)``, ``calls[:1]``."""
    match node:
        case ast.Subscript(
            value=value, slice=ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int()))
        ):
            return bool(module.of(value) & CALLS)
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.Constant(value=1), step=None)):
            return bool(module.of(value) & CALLS)
        case ast.Call(func=ast.Name(id="next"), args=[source, *_]):
            return bool(module.of(source) & CALLS)
        case _:
            return False


def _runs(module: Module, loop: AgentLoop, node: ast.AST) -> bool:
    """Say whether the block that *node* takes is run as a tool."""
    if _in_run(module, node):
        return True
    name = _taker(module, node)
    uses = (each for each in loop.nodes if isinstance(each, ast.Name) and each.id == name)
    around = module.turns.sources.function(node)
    return any(
        _in_run(module, each)
        for each in uses
        if isinstance(each.ctx, ast.Load) and module.turns.sources.function(each) is around
    )


def _taker(module: Module, node: ast.AST) -> str:
    """Return the name that gets the block that *node* takes; "" where there is none."""
    around = module.index.parent(node)
    statement = module.turns.sources.statement(node)
    match around:
        case ast.NamedExpr(target=target) | ast.comprehension(target=target, iter=ast.Subscript()):
            return getattr(target, "id", "")
        case _:
            pass
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts)):
            fields = (n for n, part in zip(names, parts, strict=False) if node in ast.walk(part))
            return getattr(next(fields, None), "id", "")
        case ast.For(iter=source, target=ast.Name(id=name)) if module.turns.sources.inside(node, source):
            return name
        case _:
            return ""


def _in_run(module: Module, node: ast.AST) -> bool:
    """Say whether *node*, a block or its input, is handed to a tool, whatever its name is."""
    for up in module.index.ancestors(node):
        if isinstance(up, ast.Call) and called(up) not in ("next", "iter"):
            if runs_tool(module, up):
                return not _for_one_name(module, up)
        elif isinstance(up, ast.stmt):
            return False
    return False


def _for_one_name(module: Module, node: ast.AST) -> bool:
    """Say whether *node* runs only for a tool of a certain name."""
    for up in module.index.ancestors(node):
        if isinstance(up, Function):
            return False
        test = up.test if isinstance(up, ast.If | ast.IfExp | ast.While) else None
        if test is not None and any("call_name" in bases(module.of(each)) for each in ast.walk(test)):
            return True
    return False


def _cut_short(module: Module, node: ast.AST) -> bool:
    """Say whether *node* goes through blocks and leaves as soon as one call has been run."""
    if not isinstance(node, ast.For | ast.AsyncFor) or not module.of(node.iter) & CALLS:
        return False
    for each in ast.walk(node):
        body = _lists(each)
        for statements in body:
            ends = statements and isinstance(statements[-1], ast.Break | ast.Return)
            if ends and _here(module, statements[-1], node) and _run_in(module, statements):
                return True
    return False


def _written_over(module: Module, loop: AgentLoop, node: ast.AST) -> bool:
    """Say whether *node* goes through blocks and leaves one of them in a name, which is run afterwards."""
    if not isinstance(node, ast.For | ast.AsyncFor) or not module.of(node.iter) & CALLS:
        return False
    inside = set(ast.walk(node))
    kept = {
        each.targets[0].id
        for each in inside
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and isinstance(each.value, ast.Name)
        and "call" in module.of(each.value)
    }
    later = (n for n in loop.nodes if isinstance(n, ast.Name) and n not in inside)
    return any(n.id in kept and isinstance(n.ctx, ast.Load) and _in_run(module, n) for n in later)


def _lists(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements in *node*."""
    for name in ("body", "orelse", "finalbody"):
        statements = getattr(node, name, None)
        if isinstance(statements, list):
            yield statements


def _here(module: Module, end: ast.stmt, loop: ast.AST) -> bool:
    """Say whether *end* leaves *loop* itself, on the way of things that go well."""
    for up in module.index.ancestors(end):
        if up is loop:
            return True
        if isinstance(up, Function | ast.Lambda | ast.ExceptHandler | ast.For | ast.AsyncFor | ast.While):
            return False
    return False


def _run_in(module: Module, statements: Iterable[ast.stmt]) -> bool:
    """Say whether one of *statements* itself runs a tool."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and runs_tool(module, node) and not _for_one_name(module, node):
                return True
    return False


def _counted(module: Module, nodes: Iterable[ast.AST]) -> bool:
    """Say whether the loop asks how many calls there are."""
    return any(
        isinstance(node, ast.Call) and called(node) == "len" and node.args and module.of(node.args[0]) & CALLS
        for node in nodes
    )


def _all_run(module: Module, nodes: Iterable[ast.AST]) -> bool:
    """Say whether something among *nodes* goes through all calls, or all but the first, and uses them."""
    results = {shape.node for shape in module.turns.results}
    for node in nodes:
        if isinstance(node, ast.For | ast.AsyncFor) and _through(module, node.iter):
            inside = list(ast.walk(node))
        elif isinstance(node, Comprehension) and _through(module, node.generators[0].iter):
            value = node.value if isinstance(node, ast.DictComp) else node.elt
            inside = list(ast.walk(value))
            if module.turns.shapes.of(value):
                return True
        elif _by_and_by(module, node):
            return True
        else:
            continue
        if any(
            each in results or "call_input" in module.of(each) or _runs_it(module, each) for each in inside
        ):
            return True
    return False


def _by_and_by(module: Module, node: ast.AST) -> bool:
    """Say whether *node* hands all calls on, or takes them one by one: ``calls[1:]``, ``calls.pop()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=holder, attr="pop" | "popleft")):
            return bool(module.of(holder) & CALLS)
        case ast.Call(args=args) if called(node) in ("map", "imap", "gather", "starmap"):
            return any(module.of(each) & CALLS for each in args)
        case ast.Subscript(value=holder, slice=ast.Slice(lower=ast.expr()) | ast.Name()):
            return bool(module.of(holder) & CALLS)
        case ast.While(test=test):
            return bool(module.of(test) & CALLS)
        case _:
            return False


def _runs_it(module: Module, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and runs_tool(module, node)


def _through(module: Module, source: ast.expr) -> bool:
    """Say whether going through *source* goes through all calls, or all but the first."""
    return bool(module.of(source) & CALLS) and not _first(module, source)
