"""Which calls run a tool, and which only look at what it is given."""

from __future__ import annotations

import ast
import re

from simulator.contract.lint.bindings import called
from simulator.contract.lint.facts import Module
from simulator.contract.lint.following import own
from simulator.contract.lint.rules.looked import LOGS

MAKES = frozenset(
    {
        *("cast", "dict", "list", "tuple", "isinstance", "copy", "deepcopy", "model_dump", "to_dict", "len"),
        *("dumps", "str", "repr", "sorted", "bool", "type", "getattr", "append", "items", "join", "put"),
    }
)
"""Calls that run no tool, whatever they are given."""
LOOKS = re.compile(
    r"^on_|^[A-Z]|valid|schema|check|parse|dump|show|emit|record|trac|hash|format|render|descri|notif|callback"
    r"|event|hook|approv|confirm|permi|allow|log|print|summar|preview|display|sign|coerc|normali|clean"
)
"""Names of calls that look at an input, tell of it, or ask whether it may be run."""


def runs_tool(module: Module, call: ast.Call) -> bool:
    """Say whether *call* runs a tool: it is given the input of a call, or a call and gives its result."""
    given = [*call.args, *(each.value for each in call.keywords)]
    if _told(call):
        return False
    if _given_input(module, call):
        return True
    if not any(module.of(each) & {"call", "block"} for each in given):
        return False
    return bool(module.of(call) & {"result", "*result"}) or _hands_on(module, call)


def _hands_on(module: Module, call: ast.Call) -> bool:
    """Say whether *call* is of a helper that runs a tool itself."""
    return any(
        isinstance(node, ast.Call) and node is not call and not _told(node) and _given_input(module, node)
        for function in module.turns.sources.resolved(call)
        for node in own(function)
    )


def _given_input(module: Module, call: ast.Call) -> bool:
    """Say whether *call* is given the input of a call."""
    return any("call_input" in module.of(each) for each in (*call.args, *(k.value for k in call.keywords)))


def _told(call: ast.Call) -> bool:
    """Say whether *call* only tells somebody, or makes something of its argument: a log, a text, a copy."""
    return called(call) in MAKES | LOGS or LOOKS.search(called(call)) is not None
