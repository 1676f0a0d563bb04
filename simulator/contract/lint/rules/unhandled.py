"""AL11: signals that nobody handles: they lead to nothing, to the next request, or pass for success.

The next request is the very same one, or has nothing new but the turn of the assistant: that is right for
``pause_turn`` and for no other signal that nobody named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.rules.signals import END, constant, returned, taken_for_whole
from simulator.contract.lint.rules.telling import brief
from simulator.contract.lint.studies import finding, happenings, ways
from simulator.contract.lint.truths import OTHER, SIGNALS, TOOL_USE, World
from simulator.contract.lint.ways import ANSWER, CHANGED, MORE, RESULTS, TOLD, Way


def unhandled_signals(module: Module) -> Iterator[Finding]:
    """Find signals that lead to nothing, or to success."""
    for loop in module.loops:
        found = _endless_end(module, loop) or _same_again(module, loop) or _lost(module, loop)
        yield from found or _passed_off(module, loop)


def _endless_end(module: Module, loop: AgentLoop) -> list[Finding]:
    """``end_turn`` does not end: the value that ends the loop is another API's."""
    paths, called = ways(module, loop, END), ways(module, loop, TOOL_USE)
    tests = _tests(module, loop)
    if paths is None or called is None or not tests or paths.heads or paths.forks:
        return []
    kinds = {each.kind for each in paths.exits}
    named = {value for _, values in tests for value in values}
    if not kinds or not kinds <= {"next", "again"} or named & {"end_turn", "tool_use"}:
        return []
    node = tests[0][0]
    return [finding(module, loop, "AL11", module.place(node), signals="end_turn", test=brief(module, node))]


def _tests(module: Module, loop: AgentLoop) -> list[tuple[ast.expr, set[object]]]:
    """Return the tests of the signal, each with the values that it names."""
    found: list[tuple[ast.expr, set[object]]] = []
    for node in loop.nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any("signal" in module.of(each) for each in sides):
                flat = [inner for each in sides for inner in (each, *getattr(each, "elts", []))]
                found.append((node, {constant(module, each) for each in flat} - {...}))
        elif isinstance(node, ast.Match) and "signal" in module.of(node.subject):
            values = [
                e.value
                for case in node.cases
                for e in ast.walk(case.pattern)
                if isinstance(e, ast.MatchValue)
            ]
            found.append((node.subject, {constant(module, each) for each in values} - {...}))
    return sorted(found, key=lambda each: (each[0].lineno, each[0].col_offset))


def _same_again(module: Module, loop: AgentLoop) -> list[Finding]:
    """A signal that nobody named leads to the next request, for which nobody did anything."""
    tests = _tests(module, loop)
    named = {value for _, values in tests for value in values}
    lost = [
        signal for signal in (*SIGNALS[3:], OTHER) if signal not in named and _repeats(module, loop, signal)
    ]
    if not lost or not tests:
        return []
    signals = ", ".join(each for each in lost if each != OTHER) or "…"
    node = tests[-1][0]
    return [finding(module, loop, "AL11", module.place(node), signals=signals, test=brief(module, node))]


def _repeats(module: Module, loop: AgentLoop, signal: str) -> bool:
    """True where *signal* leads to the next request, surely, and nothing was changed for it."""
    paths = ways(module, loop, World(signal))
    if paths is None or paths.forks:
        return False
    begun = [each.way for each in paths.exits if each.kind == ("again" if loop.recursive else "next")]
    again = [each.way for each in paths.exits if each.kind == "again"]
    if not begun or not again or not all(way.certain for way in begun):
        return False
    if not any(_changes(module, loop, way) for way in (*begun, *again)):
        return True
    turn_alone = all(ANSWER in way.done and not way.may & {MORE, RESULTS, TOLD} for way in begun)
    given = any(_given(module, loop, way) for way in begun)
    return turn_alone and signal not in ("pause_turn", OTHER) and not given


def _changes(module: Module, loop: AgentLoop, way: Way) -> bool:
    """True where something is kept, or given a value that is not of the answer."""
    return bool(way.may & {ANSWER, CHANGED}) or _given(module, loop, way)


def _given(module: Module, loop: AgentLoop, way: Way) -> bool:
    """True where something was given a value that is not of the answer."""
    what = happenings(module, loop)
    values = (getattr(n, "value", None) for n in way.passed if not isinstance(n, ast.AugAssign))
    return not all(each is None or what.of_answer(each) for each in values)


def _lost(module: Module, loop: AgentLoop) -> list[Finding]:
    """The end of the function is reached, and the answer is given back to nobody."""
    node = loop.function.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or loop.function.generates:
        return []
    returns = [n for n in loop.function.nodes if isinstance(n, ast.Return) and n.value is not None]
    if loop.recursive:
        if not any("response" in module.of(each.value) for each in returns):
            return []
        calls = [
            n for n in loop.function.nodes if isinstance(n, ast.Expr) and _calls_itself(module, loop, n.value)
        ]
        return [
            finding(module, loop, "AL11", module.place(c), signals="tool_use", test=brief(module, c))
            for c in calls
        ]
    paths = ways(module, loop, END)
    ends = [e for e in paths.exits if e.kind == "return" and e.value is None] if paths is not None else []
    sure = [e for e in ends if e.way.certain and not e.way.may & {TOLD, ANSWER}]
    if not sure or len(ends) != len(sure) or _handed_out(module, loop):
        return []
    tests = _tests(module, loop)
    return [
        finding(module, loop, "AL11", module.place(test), signals="end_turn", test=brief(module, test))
        for test, values in tests
        if "end_turn" in values
    ][:1]


def _calls_itself(module: Module, loop: AgentLoop, node: ast.expr) -> bool:
    inner = node.value if isinstance(node, ast.Await) else node
    return isinstance(inner, ast.Call) and module.values.targets(inner) == [loop.function]


def _handed_out(module: Module, loop: AgentLoop) -> bool:
    """True where somebody else gets the answer, or where it may be kept elsewhere."""
    for node in dict.fromkeys((*loop.nodes, *loop.function.nodes)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return True
        if isinstance(node, ast.Call) and not module.values.targets(node) and node not in loop.asks:
            given = [*node.args, *(each.value for each in node.keywords)]
            if any(k.bases(module.of(each)) & {"response", "text"} for each in given):
                return True
    return False


def _passed_off(module: Module, loop: AgentLoop) -> list[Finding]:
    """An ``else`` gives back text for signals that nobody named, beside branches that name them."""
    tests = _tests(module, loop)
    named = {value for _, values in tests for value in values}
    whole, rest = ways(module, loop, END), ways(module, loop, World(OTHER))
    if not {"end_turn", "tool_use"} <= named or whole is None or taken_for_whole(module, loop):
        return []
    ends = {each.node for each in returned(whole)}
    for exit_ in returned(rest):
        words = module.of(exit_.value)
        if exit_.node not in ends and TOLD not in exit_.way.may and words <= {"text", "~text"} and words:
            lost = ", ".join(each for each in (*SIGNALS[3:],) if each not in named)
            test = brief(module, exit_.value) if exit_.value is not None else ""
            return [finding(module, loop, "AL11", module.place(exit_.node), signals=lost or "…", test=test)]
    return []
