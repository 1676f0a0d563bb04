"""A tool's exception that never reaches the model as a failure (AL03).

Rules of this file:

1. Only a broad ``except`` around a tool that is run counts: ``Exception``, ``BaseException``, none at all,
   ``suppress(Exception)``. What goes through ``raise``, or is kept for later, is not swallowed.
2. It is swallowed where nothing of it goes on (nothing, ``""``, ``None``, a fixed text), or where the result
   that is made of it is not marked ``is_error``. A text that tells what failed, in the place of an output, is
   not found: the model is told.
3. Where the outcome is looked at afterwards, somebody may have seen the failure: silence.
4. ``except:`` and ``except BaseException:`` catch Ctrl-C and cancellation, too: those are nothing to tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from simulator.contract.lint.bindings import called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.rules import looked
from simulator.contract.lint.rules.running import runs_tool
from simulator.contract.lint.rules.telling import found
from simulator.contract.lint.shapes import Shape

BROAD = frozenset({"Exception", "BaseException"})
STOPS = frozenset({"KeyboardInterrupt", "SystemExit", "CancelledError", "BaseException", "GeneratorExit"})
TRIES = (ast.Try, ast.TryStar)


def swallowed(module: Module) -> Iterator[Finding]:
    """AL03: what a tool raises is caught, and goes on as a success or as nothing."""
    seen: set[ast.AST] = set()
    for loop in module.loops:
        for node in loop.nodes:
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, TRIES):
                yield from _of_try(module, loop, node)
            elif isinstance(node, ast.With) and _suppresses(module, node):
                yield found(module, "AL03", node.items[0].context_expr, {"caught": "Exception"})
            elif isinstance(node, ast.If) and looked.left_out(module, node):
                yield found(module, "AL03", node.test, {"caught": "Exception"})


def _of_try(module: Module, loop: AgentLoop, node: ast.Try | ast.TryStar) -> Iterator[Finding]:
    """Yield what is swallowed by the handlers of one ``try`` around a tool."""
    inside = [each for statement in node.body for each in ast.walk(statement)]
    if any(ask in inside for ask in loop.asks) or not any(_runs(module, each) for each in inside):
        return
    stopped = False
    for handler in node.handlers:
        names = caught(handler)
        if names & BROAD:
            yield from _of_handler(module, node, handler, stopped)
        stopped = stopped or bool(names & STOPS)


def _runs(module: Module, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and runs_tool(module, node)


def caught(handler: ast.ExceptHandler) -> set[str]:
    """Return the last names of what *handler* catches; ``BaseException`` where it names nothing."""
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {str(getattr(each, "attr", None) or getattr(each, "id", "")) for each in types}


def _of_handler(
    module: Module, node: ast.Try | ast.TryStar, handler: ast.ExceptHandler, stopped: bool
) -> Iterator[Finding]:
    """Yield the one finding of *handler*, if there is any."""
    facts = {"caught": "BaseException" if "BaseException" in caught(handler) else "Exception"}
    inside = [each for statement in handler.body for each in ast.walk(statement)]
    if any(isinstance(each, ast.Raise) for each in inside) or looked.leaves(inside):
        return
    bare = _unmarked(module, inside)
    if bare is not None:
        yield found(module, "AL03", bare, facts, _marked(module, bare))
    elif looked.nothing_left(module, node, handler) or (
        "BaseException" in caught(handler) and not stopped and not looked.kept(handler)
    ):
        yield Finding("AL03", module.head(handler), module.function(handler).name, facts)


def _unmarked(module: Module, inside: Iterable[ast.AST]) -> ast.expr | None:
    """Return what makes a result in a handler that is not marked as an error; None where there is none."""
    nodes = list(inside)
    results = {shape.node: shape for shape in module.turns.results}
    for node in nodes:
        shape = results.get(node) if isinstance(node, ast.expr) else None
        if shape is not None and _denied(shape) is not None:
            return shape.node
    if any(_says_error(each) for each in nodes):
        return None
    for node in nodes:
        shape = results.get(node) if isinstance(node, ast.expr) else None
        if shape is not None and shape.whole and "is_error" not in shape.items:
            return shape.node
    for node in nodes:
        if isinstance(node, ast.Call) and _helper_unmarked(module, node, set(results)):
            return node
    return None


def _denied(shape: Shape) -> ast.expr | None:
    """Return the ``False`` that stands for ``is_error`` in a result; None where there is none."""
    flag = shape.items.get("is_error")
    return flag if isinstance(flag, ast.Constant) and flag.value is False else None


def _helper_unmarked(module: Module, call: ast.Call, results: set[ast.expr]) -> bool:
    """Say whether *call* has a helper make a result, which it never marks as an error."""
    made = module.turns.shapes.of(call) if module.turns.sources.resolved(call) else []
    shown = [shape for shape in made if shape.text("type") == "tool_result"]
    plain = all(shape.whole and "is_error" not in shape.items for shape in shown)
    given = [*call.args, *(each.value for each in call.keywords)]
    flags = any(isinstance(each, ast.Constant) and isinstance(each.value, bool) for each in given)
    return bool(shown) and len(shown) == len(made) and plain and not flags and _inside(shown, results)


def _inside(shapes: list[Shape], results: set[ast.expr]) -> bool:
    return all(shape.node in results for shape in shapes)


def _says_error(node: ast.AST) -> bool:
    """Say whether *node* names ``is_error``."""
    match node:
        case ast.Constant(value="is_error") | ast.keyword(arg="is_error") | ast.Attribute(attr="is_error"):
            return True
        case ast.Name(id=name) | ast.keyword(arg=str(name)):
            return "error" in name.lower() and name.lower().startswith(("is_", "has_"))
        case _:
            return False


def _marked(module: Module, node: ast.expr) -> tuple[Edit, ...]:
    """Return the edit that marks the result *node* as an error."""
    shape = module.turns.shapes.made(node)
    denied = _denied(shape) if shape is not None else None
    if denied is not None:
        return (Edit(module.place(denied), "True"),)
    match node:
        case ast.Dict(keys=[*_], values=[*_, last]):
            text = ', "is_error": True'
        case ast.Call(keywords=[*_, ast.keyword(value=last)]) if not module.turns.sources.resolved(node):
            text = ", is_error=True"
        case _:
            return ()
    place = module.place(last)
    return (Edit(replace(place, line=place.end_line, column=place.end_column), text),)


def _suppresses(module: Module, node: ast.With) -> bool:
    """Say whether *node* is ``with suppress(Exception):`` around a tool."""
    call = node.items[0].context_expr
    if called(call) != "suppress" or not isinstance(call, ast.Call):
        return False
    names = {str(getattr(each, "attr", None) or getattr(each, "id", "")) for each in call.args}
    inside = (each for statement in node.body for each in ast.walk(statement))
    return bool(names & BROAD) and any(_runs(module, each) for each in inside)
