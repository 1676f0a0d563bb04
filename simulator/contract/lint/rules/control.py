"""AL01: what the model wrote decides whether the loop ends, or whether tools run.

Told apart from what is right: words are looked for only where the signal has not decided already. A test of
whether there is any text at all counts where an answer that calls tools can come to it; a search for words
that say "done" counts behind ``end_turn`` as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.forking import Fork
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.paths import Paths
from simulator.contract.lint.rules.telling import brief
from simulator.contract.lint.studies import finding, ways
from simulator.contract.lint.truths import TOOL_USE, World

TEXT = {"text", "~text", "*text"}
DONE = re.compile(
    r"done|complet|finish|final|all set|success|terminat|exit|stop|task|answer|bye|ready|solved|listo|fin\b",
    re.IGNORECASE,
)
"""What words look like that are to say that the work is over."""


def prose_control(module: Module) -> Iterator[Finding]:
    """Find tests of the answer's text that decide about the loop."""
    for loop in module.loops:
        for test, operands in _deciding(module, loop).items():
            node = operands[0] if len(operands) == 1 else test
            yield finding(module, loop, "AL01", module.place(node), test=brief(module, node))


def _deciding(module: Module, loop: AgentLoop) -> dict[ast.expr, list[ast.expr]]:
    """Return the tests that text decides, each with the parts of it that hang on text."""
    found: dict[ast.expr, list[ast.expr]] = {}
    called = ways(module, loop, TOOL_USE)
    if called is not None:
        forked = (fork.test for fork in _forks(called) if _ends(fork) or _runs(module, fork))
        found = {test: list(prose(module, test)) for test in (*called.heads, *forked)}
    ended = ways(module, loop, World("end_turn"))
    for fork in _forks(ended) if ended is not None else ():
        if _ends(fork) and fork.through != (False, False) and not found.get(fork.test):
            found[fork.test] = [each for each in prose(module, fork.test) if _says_done(module, each)]
    return {test: operands for test, operands in found.items() if operands}


def _forks(paths: Paths) -> Iterator[Fork]:
    return (each for each in paths.forks if isinstance(each, Fork))


def prose(module: Module, test: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a test that hang on the text of the answer, and on nothing that is unknown."""
    todo = [test]
    while todo:
        node = todo.pop(0)
        match node:
            case ast.BoolOp(values=values):
                todo += values
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                todo.append(operand)
            case _:
                words = module.of(node)
                if words & TEXT and not any("?" in word for word in words):
                    yield node


def _ends(fork: Fork) -> bool:
    """True where one branch leaves the loop and the other goes on."""
    one, other = (
        any(e.kind in ("return", "leave", "break") for e in part) for part in (fork.body, fork.orelse)
    )
    return one != other


def _runs(module: Module, fork: Fork) -> bool:
    """True where the branch behind words of the text runs tools."""
    around = module.index.parent(fork.test)
    if not isinstance(around, ast.If) or not _searches(module, fork.test):
        return False
    return any("call_input" in module.of(n) for each in around.body for n in ast.walk(each))


def _searches(module: Module, test: ast.expr) -> bool:
    return any(not isinstance(each, ast.Name | ast.Attribute) for each in prose(module, test))


def _says_done(module: Module, operand: ast.expr) -> bool:
    """True for a search for words of the end."""
    if isinstance(operand, ast.Compare) and isinstance(operand.ops[0], ast.Gt | ast.Lt | ast.GtE | ast.LtE):
        return False
    constants = (module.values.table.constant(n) for n in ast.walk(operand) if isinstance(n, ast.expr))
    return any(isinstance(each, str) and DONE.search(each) for each in constants)
