"""AL09: results are kept before the turn that called. AL10: the answer does not reach the next request.

AL10 is silent wherever the conversation may be kept by something that cannot be read: a function or an object
from elsewhere that gets it, or makes it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding
from simulator.contract.lint.kinds import Kinds
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.narrowing import last_name
from simulator.contract.lint.rules.telling import brief
from simulator.contract.lint.studies import finding, happenings, ways
from simulator.contract.lint.table import Location
from simulator.contract.lint.truths import TOOL_USE
from simulator.contract.lint.ways import ANSWER, RESULTS

HARMLESS = k.words(
    "len print list tuple dict str repr sorted reversed enumerate zip iter deepcopy copy dumps pformat pprint"
    " debug info warning error log isinstance bool type id max min sum any all count_tokens append extend"
    " insert range"
)
"""Functions that do not put anything into a list that they get."""


def results_before_call(module: Module) -> Iterator[Finding]:
    """Find results that stand before the call that they answer."""
    for loop in module.loops:
        paths = ways(module, loop, TOOL_USE)
        for results, answer in dict.fromkeys(paths.early) if paths is not None else ():
            fix = _swapped(module, results, answer)
            yield finding(module, loop, "AL09", module.place(results), fix, answer=brief(module, answer))


def _swapped(module: Module, results: ast.AST, answer: ast.AST) -> tuple[Edit, ...]:
    """Return edits that change the places of two neighbours: statements, or elements of a list."""
    one, other = _neighbours(module, results, answer)
    if one is None or other is None or module.place(one).end_line > module.place(other).line:
        return ()
    first = ast.get_source_segment(module.source, one)
    second = ast.get_source_segment(module.source, other)
    lines = module.lines[module.place(one).line - 1 : module.place(other).end_line]
    if first is None or second is None or any("#" in line or ";" in line for line in lines):
        return ()
    return Edit(module.place(one), second), Edit(module.place(other), first)


def _neighbours(module: Module, results: ast.AST, answer: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
    one, other = _statement(module, results), _statement(module, answer)
    if one is other:
        elts = getattr(module.index.parent(results), "elts", [])
        near = results in elts and answer in elts and elts.index(answer) == elts.index(results) + 1
        return (results, answer) if near else (None, None)
    around = module.index.parent(one)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(around, name, None)
        if isinstance(block, list) and one in block and other in block:
            near = block.index(other) == block.index(one) + 1
            return (one, other) if near else (None, None)
    return None, None


def _statement(module: Module, node: ast.AST) -> ast.AST:
    at = node
    while not isinstance(at, ast.stmt):
        around = module.index.parent(at)
        if around is None:
            return at
        at = around
    return at


# --- AL10 ----------------------------------------------------------------------------------------------


def answer_not_appended(module: Module) -> Iterator[Finding]:
    """Find loops whose next request does not hold what the model said, or what the tools gave."""
    for loop in module.loops:
        node = _missing(module, loop)
        if node is not None:
            yield finding(module, loop, "AL10", module.place(node), messages=brief(module, node))


def _missing(module: Module, loop: AgentLoop) -> ast.AST | None:
    """Return the expression that is sent and misses something; None where nothing is missing for sure."""
    sent = [_sent(module, ask) for ask in loop.asks]
    first = next((each for each in sent if each is not None), None)
    if first is None or None in sent or not _runs_tools(module, loop) or _given_out(loop):
        return None
    if _never_again(module, loop):
        return first
    words = k.NONE.union(*(module.of(each) for each in sent))
    if (
        "?" in words
        or _fetched(module, loop, sent)
        or any(_escapes(module, loop, place) for place in _places(module, sent))
    ):
        return None
    bases = k.bases(words)
    if not bases & {"block", "response"} or _without_results(words):
        return first
    astray = (n for n in loop.nodes if _starts_anew(module, loop, n, sent) or _thrown_away(module, n))
    return next(astray, None)


def _sent(module: Module, ask: ast.Call) -> ast.expr | None:
    """Return the conversation of a request, where it stands in the call."""
    return next((each.value for each in ask.keywords if each.arg == "messages"), None)


def _runs_tools(module: Module, loop: AgentLoop) -> bool:
    for node in loop.nodes:
        words = module.of(node) if isinstance(node, ast.Attribute | ast.Subscript | ast.Dict) else k.NONE
        if "call_input" in words or (isinstance(node, ast.Dict) and "user" in words and k.handed(words)):
            return True
    return False


def _given_out(loop: AgentLoop) -> bool:
    """True for a generator: whoever takes its values may keep the conversation."""
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in loop.function.nodes)


def _never_again(module: Module, loop: AgentLoop) -> bool:
    """True where results are kept and no request follows."""
    paths = ways(module, loop, TOOL_USE)
    if paths is None or not paths.exits:
        return False
    return all(
        each.kind == "return" and each.way.certain and {ANSWER, RESULTS} <= each.way.done
        for each in paths.exits
    )


def _without_results(words: Kinds) -> bool:
    """True where turns are kept and no result is: at most what a handler gave, as words."""
    foreign = {k.base(word) for word in words if "?" in word}
    return "result" not in k.bases(words) and foreign <= {"call_input", "call_name"}


def _places(module: Module, sent: list[ast.expr | None]) -> set[Location]:
    table = module.values.table
    found: set[Location] = set()
    for each in sent:
        for node in ast.walk(each) if each is not None else ():
            place = table.place(node) if isinstance(node, ast.Name | ast.Attribute) else None
            if place is not None:
                found.add(table.root(place))
    return found


def _fetched(module: Module, loop: AgentLoop, sent: list[ast.expr | None]) -> bool:
    """True where a helper makes the conversation of something from elsewhere, and not of what it is given."""
    table = module.values.table
    places = {table.place(each) for each in sent} - {None}
    made = [n.value for n in loop.nodes if isinstance(n, ast.Assign) and table.place(n.targets[0]) in places]
    for call in (n for each in (*sent, *made) if each is not None for n in ast.walk(each)):
        if not isinstance(call, ast.Call):
            continue
        given = k.bases(module.values.all_of([*call.args, *(each.value for each in call.keywords)]))
        inside = (node for each in module.values.targets(call) for node in each.nodes)
        if not given & {"turn", "user", "assistant"} and any(_foreign(module, node) for node in inside):
            return True
    return False


def _foreign(module: Module, node: ast.AST) -> bool:
    """True for a call of something that is not of this module, and that gives nobody knows what."""
    return isinstance(node, ast.Call) and not module.values.targets(node) and "?" in module.of(node)


def _escapes(module: Module, loop: AgentLoop, place: Location) -> bool:
    """True where something from elsewhere gets hold of the list at *place*, and may add to it."""
    table = module.values.table

    def is_it(node: ast.AST) -> bool:
        at = table.place(node) if isinstance(node, ast.Name | ast.Attribute | ast.Starred) else None
        return at is not None and table.root(at) == place

    for node in loop.nodes:
        if not isinstance(node, ast.Call) or node in loop.asks or module.values.targets(node):
            continue
        if last_name(node.func) in HARMLESS:
            continue
        given = [*node.args, *(each.value for each in node.keywords)]
        receiver = getattr(node.func, "value", None)
        if any(is_it(each) for each in given) or (receiver is not None and is_it(receiver)):
            return True
    return False


def _thrown_away(module: Module, node: ast.AST) -> bool:
    """True for a helper that gives back results, called for nothing."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    words = module.of(node.value)
    return bool(module.values.targets(node.value)) and bool(words & {"result", "*result"})


def _starts_anew(module: Module, loop: AgentLoop, node: ast.AST, sent: list[ast.expr | None]) -> bool:
    """True for a conversation that is made anew each round, of this round alone (and of what never grows)."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List | ast.Tuple):
        return False
    table = module.values.table
    target = table.place(node.targets[0])
    names = {table.root(place) for each in sent if (place := table.place(each)) is not None}
    if target is None or table.root(target) not in names or "block" not in k.bases(module.of(node.value)):
        return False
    for each in node.value.elts:
        if isinstance(each, ast.Dict):
            continue
        if not isinstance(each, ast.Starred) or not _stands_still(module, loop, each.value, target):
            return False
    return True


def _stands_still(module: Module, loop: AgentLoop, node: ast.expr, target: Location) -> bool:
    """True for a name that the loop neither gives anything new nor adds to."""
    table, what = module.values.table, happenings(module, loop)
    place = table.place(node) if isinstance(node, ast.Name) else None
    if place is None or place == target or place in what.varying:
        return False
    added = (what.added(each) for each in loop.nodes)
    return all(table.place(each[0]) != place for each in added if each is not None)
