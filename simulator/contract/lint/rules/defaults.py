"""One list is the history of several conversations (AL12).

Rules of this file:

1. It is the history where turns are put into it, or where it is what is sent. Other lists are left alone.
2. A default that is copied first is never changed, and no fault. Nor is a field of a class that its base may
   copy for each object (pydantic and the like), or that ``__init__`` sets anew.
3. What runs at the top of a module serves one conversation: its own lists are no fault there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint.bindings import Binding, called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.rules.telling import found, rewritten
from simulator.contract.lint.sources import Function

TURNS = frozenset({"*user", "*assistant", "*turn"})
PUT_IN = frozenset({"element", "extension"})


def shared(module: Module) -> Iterator[Finding]:
    """AL12: a default, a module's or a class's list that every conversation adds to."""
    if not module.loops:
        return
    for functions in module.turns.sources.functions.values():
        for function in functions:
            yield from _of_function(module, function)
    yield from _of_module(module)
    for node in module.index.parents:
        if isinstance(node, ast.ClassDef):
            yield from _of_class(module, node)


def _new_list(node: ast.expr | None) -> bool:
    """Say whether *node* makes a list, filled or not."""
    return isinstance(node, ast.List) or (called(node) in ("list", "deque") and isinstance(node, ast.Call))


def _of_function(module: Module, function: Function) -> Iterator[Finding]:
    """Yield the defaults of *function* that are a history."""
    args = function.args
    places = [*args.posonlyargs, *args.args]
    pairs = list(zip(places[len(places) - len(args.defaults) :], args.defaults, strict=True))
    pairs += [(arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value]
    for arg, default in pairs:
        if _new_list(default) and _history(module, arg, function) and _changed(module, arg, function):
            fix = _fixed(module, function, arg, default)
            yield found(module, "AL12", default, {"name": arg.arg}, fix)


def _history(module: Module, name: ast.arg, function: Function) -> bool:
    """Say whether the parameter *name* is what is sent, or gets turns."""
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name.arg]
    return any(module.of(node) & TURNS for node in uses) or any(_sent(module, node) for node in uses)


def _sent(module: Module, node: ast.AST) -> bool:
    """Say whether *node* is the ``messages`` of a request."""
    keyword = module.index.parent(node)
    request = module.index.parent(keyword) if isinstance(keyword, ast.keyword) else None
    named = isinstance(keyword, ast.keyword) and keyword.arg == "messages"
    return named and any(request in loop.asks for loop in module.loops)


def _changed(module: Module, arg: ast.arg, function: Function) -> bool:
    """Say whether the very list that is the default is added to, or kept by an object that adds to it."""
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == arg.arg]
    bound = module.turns.sources.bindings(uses[0]) if uses else []
    if not bound or any(each.kind == "value" for each in bound):
        return False
    if any(each.kind in PUT_IN for each in bound):
        return True
    for use in uses:
        match module.index.parent(use):
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if value is use:
                if any(each.kind in PUT_IN for each in module.turns.sources.bindings(target)):
                    return True
            case ast.AnnAssign(target=ast.Attribute() as target, value=value) if value is use:
                if any(each.kind in PUT_IN for each in module.turns.sources.bindings(target)):
                    return True
            case _:
                pass
    return False


def _of_module(module: Module) -> Iterator[Finding]:
    """Yield the lists of the module that its functions use as a history."""
    for node in module.tree.body:
        target, value = _assigned(node)
        if not isinstance(target, ast.Name) or not _new_list(value):
            continue
        bound = module.turns.sources.bindings(target)
        if sum(each.kind == "value" for each in bound) != 1 or not module.of(target) & TURNS:
            continue
        if any(_in_function(module, each) for each in bound) and _sent_by_function(module, target.id):
            yield found(module, "AL12", node, {"name": target.id})


def _in_function(module: Module, binding: Binding) -> bool:
    """Say whether *binding* puts something in, in a function."""
    return binding.kind in PUT_IN and module.turns.sources.function(binding.node) is not None


def _sent_by_function(module: Module, name: str) -> bool:
    """Say whether a function of the module sends its list *name*."""
    for loop in module.loops:
        for ask in loop.asks:
            for keyword in ask.keywords:
                own = keyword.arg == "messages" and isinstance(keyword.value, ast.Name)
                if own and getattr(keyword.value, "id", "") == name and module.turns.sources.function(ask):
                    return True
    return False


def _assigned(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """Return target and value of an assignment to one name."""
    match node:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
            return target, value
        case _:
            return None, None


def _of_class(module: Module, node: ast.ClassDef) -> Iterator[Finding]:
    """Yield the lists of the class *node* that its objects share as their history."""
    if (
        any(getattr(base, "id", "") != "object" for base in node.bases)
        or node.keywords
        or node.decorator_list
    ):
        return
    for statement in node.body:
        target, value = _assigned(statement)
        if not isinstance(target, ast.Name) or not _new_list(value):
            continue
        uses = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == target.id]
        own = [n for n in uses if getattr(n.value, "id", "") in ("self", "cls", node.name)]
        bound = [each for n in own for each in module.turns.sources.bindings(n)]
        set_anew = any(isinstance(n.ctx, ast.Store) and not _augmented(module, n) for n in own)
        added = any(each.kind in PUT_IN for each in bound)
        if own and added and not set_anew and any(module.of(n) & TURNS or _sent(module, n) for n in own):
            yield found(module, "AL12", statement, {"name": f"{node.name}.{target.id}"})


def _augmented(module: Module, node: ast.AST) -> bool:
    return isinstance(module.index.parent(node), ast.AugAssign)


def _fixed(module: Module, function: Function, arg: ast.arg, default: ast.expr) -> tuple[Edit, ...]:
    """Return the edits for ``None`` as the default, and the list made anew in the body."""
    after = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not after or after[0].lineno == function.lineno or getattr(after[0], "decorator_list", []):
        return ()
    place = module.place(after[0])
    before = module.lines[place.line - 1][: place.column - 1]
    if before.strip():
        return ()
    text = f"if {arg.arg} is None:\n{before}    {arg.arg} = {module.text(default)}\n{before}"
    edits = [rewritten(module, default, "None")]
    if arg.annotation is not None:
        written = module.text(arg.annotation)
        if isinstance(arg.annotation, ast.Constant):
            return ()
        if not written.endswith("None") and not written.startswith(
            ("Optional", "None", "typing.Optional", "Any")
        ):
            edits.append(rewritten(module, arg.annotation, f"{written} | None"))
    here = Place(place.line, place.column, place.line, place.column)
    return (*edits, Edit(here, text))
