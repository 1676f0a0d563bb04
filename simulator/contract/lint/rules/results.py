"""Tool results in the wrong turn (AL04), and without the id of the call they answer (AL06).

Rules of this file:

1. A dictionary is a tool result where it comes into a turn of the conversation. One that only tells somebody
   else what happened (an event, a log) is none.
2. An id is wrong where it plainly is: nothing, a literal, of its own making, of the response, the name of the
   tool, or of another call. What comes from elsewhere may be right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding
from simulator.contract.lint.kinds import bases
from simulator.contract.lint.rules import crossed
from simulator.contract.lint.rules.telling import brief, found, rewritten
from simulator.contract.lint.shapes import Shape
from simulator.contract.lint.turns import Turn

KEY = "tool_use_id"
MADE_UP = frozenset(
    {"uuid4", "uuid1", "uuid7", "token_hex", "token_urlsafe", "randint", "getrandbits", "time_ns"}
)
"""Functions that make an id."""

ELSE = ({"response_id"}, {"call_name"}, {"block_type"})
"""What has its place in an answer, and is no id of a call."""


def role(module: Module) -> Iterator[Finding]:
    """AL04: a tool_result in a turn that is not the user's."""
    if module.loops:
        for turn in module.turns.all:
            if turn.results or isinstance(turn.role, ast.Name):
                yield from _misplaced(module, turn)


def _misplaced(module: Module, turn: Turn) -> Iterator[Finding]:
    """Yield the places that give *turn*, which holds results, a role that is not the user's."""
    parameter = _parameter(module, turn.role)
    if parameter is not None:
        yield from _misplaced_by_callers(module, turn, parameter)
    elif turn.results and _not_user(module, turn.role):
        content = turn.shape.items["content"]
        alone = "*block" not in module.of(content) and not isinstance(content, ast.BinOp)
        fix = (rewritten(module, turn.role, '"user"'),) if alone and _literal(turn.role) else ()
        yield found(module, "AL04", turn.role, {"role": brief(module, turn.role)}, fix)


def _misplaced_by_callers(module: Module, turn: Turn, parameter: ast.arg) -> Iterator[Finding]:
    """Yield the calls of a helper that appends a turn, with results and a role that is not the user's."""
    sources = module.turns.sources
    content = _parameter(module, turn.shape.items["content"])
    function = sources.function(parameter)
    for site in sources.sites(function) if function and content else ():
        given = {each.arg: sources.argument(site, each) for each in (parameter, content) if each}
        role, blocks = (given.get(each.arg) for each in (parameter, content) if each)
        if role is None or blocks is None or not _literal(role) or not _not_user(module, role):
            continue
        if any(module.turns.results_in(blocks)):
            fix = () if "*block" in module.of(blocks) else (rewritten(module, role, '"user"'),)
            yield found(module, "AL04", role, {"role": brief(module, role)}, fix)


def _parameter(module: Module, node: ast.expr) -> ast.arg | None:
    """Return the parameter that the name *node* is, and nothing else."""
    bound = module.turns.sources.bindings(node) if isinstance(node, ast.Name) else []
    only = bound[0].node if len(bound) == 1 and bound[0].kind == "parameter" else None
    return only if isinstance(only, ast.arg) else None


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _not_user(module: Module, node: ast.expr) -> bool:
    """Say whether the role *node* is surely another than ``"user"``."""
    if isinstance(node, ast.Attribute) and node.attr == "role":
        return "response" in module.of(node.value)
    value = module.values.table.constant(node)
    return isinstance(value, str) and value != "user"


def call_id(module: Module) -> Iterator[Finding]:
    """AL06: a tool_result that does not name the call it answers by its id."""
    if not module.loops:
        return
    by_name = list(crossed.kept_by_name(module))
    for target in [*by_name, *crossed.of_all_rounds(module)]:
        yield found(module, "AL06", target, {"result": brief(module, target)})
    for shape in module.turns.results:
        value = shape.items.get(KEY)
        if value is None:
            if shape.whole and not _set_elsewhere(module, shape):
                yield found(
                    module, "AL06", shape.node, {"result": brief(module, shape.node)}, _named(module, shape)
                )
        elif wrong(module, shape, value) or crossed.of_first(module, shape, value):
            yield found(module, "AL06", value, {"result": brief(module, value)}, _named(module, shape))
        elif crossed.crossed(module, shape, value):
            yield found(module, "AL06", value, {"result": brief(module, value)})


def _set_elsewhere(module: Module, shape: Shape) -> bool:
    """Say whether the module sets the id somewhere apart from the results themselves."""
    own = {each for result in module.turns.results for each in ast.walk(result.node)}
    for node in module.index.parents:
        match node:
            case ast.Constant(value=value) if value == KEY and node not in own:
                # Reading it (``result["tool_use_id"]``, ``.get``, ``==``) sets nothing.
                up = module.index.parent(node)
                stores = isinstance(up, ast.Subscript) and isinstance(up.ctx, ast.Store)
                if stores or isinstance(up, ast.Dict):
                    return True
            case ast.keyword(arg=name) if name == KEY and node not in own:
                return True
            case _:
                pass
    return False


def wrong(module: Module, shape: Shape, value: ast.expr) -> bool:
    """Say whether *value* is surely no id of a call."""
    origins = list(module.turns.shapes.origins(value))
    if origins and all(isinstance(each, ast.Constant) for each in origins):
        return not _parameter(module, value)
    return bool(origins) and all(_wrong(module, each) for each in origins)


def _wrong(module: Module, node: ast.expr) -> bool:
    """Say whether the expression *node* makes something that is no id of a call."""
    kinds = module.of(node)
    if "call_id" in bases(kinds):
        return False
    if any(isinstance(each, ast.Call) and _name(each) in MADE_UP for each in ast.walk(node)):
        return True
    match node:
        case ast.Constant():
            return True
        case ast.Attribute(value=holder, attr=name):
            return (name == KEY and _is_call(module, holder)) or kinds in ELSE
        case ast.Subscript(value=holder, slice=ast.Constant(value=str(name))):
            return (name == KEY and _is_call(module, holder)) or kinds in ELSE
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, ast.Constant(value=name), *_]):
            return name == KEY and _is_call(module, holder)
        case ast.Call(func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(value=name), *_]):
            return name == KEY and _is_call(module, holder)
        case ast.JoinedStr(values=values):
            return _made_up(module, values)
        case _:
            return kinds in ELSE


def _is_call(module: Module, node: ast.expr) -> bool:
    """Say whether *node* is a block of the answer, which has no other id than ``id``."""
    return bool(module.of(node)) and module.of(node) <= {"call", "block"}


def _made_up(module: Module, values: list[ast.expr]) -> bool:
    """Say whether a formatted string puts an id together from words, numbers and names."""
    words = "".join(
        each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )
    kinds = [module.of(each.value) for each in values if isinstance(each, ast.FormattedValue)]
    return bool(words) and not any("?" in sign for each in kinds for word in each for sign in word)


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", None) or getattr(call.func, "id", ""))


def _named(module: Module, shape: Shape) -> tuple[Edit, ...]:
    """Return the edit that names the call; none where it is not plain which one it is."""
    call = crossed.call_of(module, shape)
    if call is None or not isinstance(shape.node, ast.Dict):
        return ()
    value, kind = shape.items.get(KEY), shape.items.get("type")
    if value is not None:
        return (rewritten(module, value, call),) if value in shape.node.values else ()
    for key, given in zip(shape.node.keys, shape.node.values, strict=True):
        if key is not None and "call_id" in module.of(given):
            return (rewritten(module, key, f'"{KEY}"'),)
    if kind is None or kind not in shape.node.values:
        return ()
    place = module.place(kind)
    after = replace(place, line=place.end_line, column=place.end_column)
    return (Edit(after, f', "{KEY}": {call}'),)
