"""AL02: nothing limits the loop. AL07: the limit is a literal in its body."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.narrowing import last_name
from simulator.contract.lint.parameters import limit_as_parameter
from simulator.contract.lint.rules.telling import brief
from simulator.contract.lint.studies import finding, happenings, ways
from simulator.contract.lint.truths import TOOL_USE, World
from simulator.contract.lint.ways import GUARD

ENDLESS = {"count", "cycle", "repeat"}
DEADLINES = {"wait_for", "timeout", "timeout_at", "fail_after", "move_on_after", "alarm", "setitimer"}
CLOCKS = {"time", "monotonic", "perf_counter", "now", "time_ns", "monotonic_ns"}


def unbounded_loop(module: Module) -> Iterator[Finding]:
    """Find loops that go on for as long as the model wants."""
    if any(isinstance(n, ast.Call) and last_name(n.func) in DEADLINES for n in module.index.parents):
        return
    for loop in module.loops:
        if _bounded(module, loop) or _given_out(module, loop):
            continue
        if _unguarded(module, loop, TOOL_USE):
            yield finding(module, loop, "AL02", module.head(loop.node), head=_head(module, loop))
            continue
        for signal in ("pause_turn", "max_tokens"):
            test = _named(module, loop, signal)
            if test is not None and _unguarded(module, loop, World(signal), certain=True):
                yield finding(module, loop, "AL02", module.place(test), head=brief(module, test))


def _bounded(module: Module, loop: AgentLoop) -> bool:
    """True for a ``for`` over what comes to an end."""
    node = loop.node
    if not isinstance(node, ast.For | ast.AsyncFor):
        return False
    source = node.iter
    if isinstance(source, ast.Call) and last_name(source.func) == "enumerate" and source.args:
        source = source.args[0]
    if not isinstance(source, ast.Call):
        return True
    name = last_name(source.func)
    endless = name in ENDLESS and not (name == "repeat" and len(source.args) > 1)
    return not endless and not (name == "iter" and len(source.args) == 2)


def _given_out(module: Module, loop: AgentLoop) -> bool:
    """True for a generator: whoever takes its values may stop taking them."""
    return any(isinstance(n, ast.Yield | ast.YieldFrom) and n in loop.nodes for n in loop.function.nodes)


def _unguarded(module: Module, loop: AgentLoop, world: World, certain: bool = False) -> bool:
    paths = ways(module, loop, world)
    if paths is None:
        return False
    again = [each.way for each in paths.exits if each.kind == "again"]
    return any(GUARD not in way.may and (way.certain or not certain) for way in again)


def _named(module: Module, loop: AgentLoop, signal: str) -> ast.AST | None:
    """Return where *signal* is named in a test."""
    for node in loop.nodes:
        values = [node.value] if isinstance(node, ast.MatchValue) else []
        values += [*node.comparators, node.left] if isinstance(node, ast.Compare) else []
        if any(module.values.table.constant(each) == signal for each in values):
            return node
    return None


def _head(module: Module, loop: AgentLoop) -> str:
    if loop.recursive:
        return f"{loop.function.name}(…)"
    return brief(module, getattr(loop.node, "test", getattr(loop.node, "iter", loop.node)))


# --- AL07 ----------------------------------------------------------------------------------------------


def budget_literal(module: Module) -> Iterator[Finding]:
    """Find the number that limits the loop and stands in its body."""
    for loop in module.loops:
        for literal in dict.fromkeys(_literals(module, loop)):
            # A recursion would have to hand the parameter on.
            fix = () if loop.recursive else limit_as_parameter(module, loop.function, literal)
            yield finding(module, loop, "AL07", module.place(literal), fix, value=str(literal.value))


def _literals(module: Module, loop: AgentLoop) -> Iterator[ast.Constant]:
    node = loop.node
    if isinstance(node, ast.For | ast.AsyncFor):
        source = node.iter
        if isinstance(source, ast.Call) and last_name(source.func) in ("range", "repeat") and source.args:
            stop = source.args[0] if len(source.args) == 1 else source.args[1]
            yield from _number(stop)
        return
    if isinstance(node, ast.While):
        yield from _compared(module, loop, node.test)
    statements = node.body
    for each in statements:
        if isinstance(each, ast.If) and happenings(module, loop).leaves(each.body):
            yield from _compared(module, loop, each.test)


def _compared(module: Module, loop: AgentLoop, test: ast.expr) -> Iterator[ast.Constant]:
    """Yield the literals of a test that what counts is compared with."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq()]):
                right = node.comparators[0]
                for one, other in ((left, right), (right, left)):
                    if _counts(module, loop, one):
                        yield from _number(other)
            case _:
                pass


def _counts(module: Module, loop: AgentLoop, node: ast.expr) -> bool:
    """True for what counts rounds, tokens or seconds."""
    if any(isinstance(n, ast.Call) and last_name(n.func) in CLOCKS for n in ast.walk(node)):
        return True
    if "usage" in k.bases(module.of(node)):
        return True
    if not isinstance(node, ast.Name | ast.Attribute | ast.NamedExpr) or isinstance(
        loop.node, ast.For | ast.AsyncFor
    ):
        return False
    place = module.values.table.place(node)
    if loop.recursive:
        return place in happenings(module, loop).varying
    return any(_adds(module, each, place) for each in (*loop.node.body, node))


def _adds(module: Module, node: ast.AST, place: object) -> bool:
    """True for ``turns += 1``, ``turns = turns + 1`` and ``turns := turns + 1``."""
    match node:
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.Constant()):
            return module.values.table.place(target) == place
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add()) as value):
            pass
        case ast.NamedExpr(target=target, value=ast.BinOp(op=ast.Add()) as value):
            pass
        case _:
            return False
    sides = {module.values.table.place(value.left), module.values.table.place(value.right)}
    return module.values.table.place(target) == place and place in sides


def _number(node: ast.expr) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value > 1:  # type: ignore[operator]  # a number
        yield node
