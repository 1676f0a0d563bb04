"""AL08: a cut answer is given back as the finished one.

It asks what the caller can see. Who gets the response, or its signal, can look; who gets the text alone,
from the same place as a finished answer, cannot. A value with parts may tell it in its own way: there it
takes a flag that is the same for both, a test that names ``max_tokens`` beside ``end_turn``, or a dictionary
in which nothing stands but text and constants.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.paths import Paths
from simulator.contract.lint.rules.telling import brief
from simulator.contract.lint.studies import finding, ways
from simulator.contract.lint.truths import CUT_CALL, World
from simulator.contract.lint.ways import TOLD, Exit

FLAG = re.compile(r"truncat|complete|partial|finished|status|\bcut|done|\bok\b|success", re.IGNORECASE)
END, CUT = World("end_turn"), World("max_tokens")


def truncation_as_end(module: Module) -> Iterator[Finding]:
    """Find where a cut answer comes back like a finished one."""
    for loop in module.loops:
        for exit_ in taken_for_whole(module, loop):
            value = exit_.value
            shown = brief(module, value) if value is not None else ""
            yield finding(module, loop, "AL08", module.place(exit_.node), value=shown)


def taken_for_whole(module: Module, loop: AgentLoop) -> list[Exit]:
    """Return the ends that a cut answer has in common with a finished one, where nothing tells them apart."""
    whole = ways(module, loop, END)
    if whole is None:
        return []
    found: dict[ast.AST, Exit] = {}
    for world in (CUT, CUT_CALL):
        paths = ways(module, loop, world)
        for exit_ in returned(paths):
            same = [each for each in returned(whole) if _alike(exit_, each)]
            if same and _hides(module, loop, exit_, same[0]):
                found.setdefault(exit_.node, exit_)
    return list(found.values())


def returned(paths: Paths | None) -> list[Exit]:
    """Return the ends with a value that hang on nothing but the answer."""
    exits = paths.exits if paths is not None else []
    return [e for e in exits if e.kind == "return" and e.way.certain and e.value is not None]


def _alike(one: Exit, other: Exit) -> bool:
    """True for the same place, or for two places that give back the same."""
    if one.value is None or other.value is None:
        return False
    return one.node is other.node or ast.dump(one.value) == ast.dump(other.value)


def _hides(module: Module, loop: AgentLoop, cut: Exit, whole: Exit) -> bool:
    """True where nobody can see from what comes back that it is cut."""
    value = cut.value
    assert value is not None, "an end with a value"
    words = k.bases(module.of(value))
    named = _named_together(module, loop)
    if "signal" in words or ("response" in words and not named):
        return False
    if "response" in words:
        return isinstance(value, ast.Name) and "response" in module.of(value)
    if TOLD in cut.way.may or "text" not in words or _told_apart(module, value, cut, whole):
        return False
    if "?" in module.of(value) and not named:
        return False
    return (
        not isinstance(value, ast.Dict | ast.Tuple | ast.Call)
        or named
        or _flagged(value)
        or _text(module, value)
    )


def _text(module: Module, value: ast.expr) -> bool:
    """True for a call that gives back text, and for a dictionary of text and constants."""
    if isinstance(value, ast.Dict):
        return None not in value.keys and all(
            isinstance(each, ast.Constant) or module.of(each) in ({"text"}, {"text", "~text"})
            for each in value.values
        )
    return isinstance(value, ast.Call) and module.of(value) <= {"text", "~text", "~block"}


def _told_apart(module: Module, value: ast.expr, cut: Exit, whole: Exit) -> bool:
    """True where a name in *value* was given something else on the one way than on the other."""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
        for statement in cut.way.passed ^ whole.way.passed
        for node in ast.walk(statement)
    )


def _named_together(module: Module, loop: AgentLoop) -> bool:
    """True where one test names ``max_tokens`` beside ``end_turn``."""
    for node in loop.nodes:
        parts: list[ast.expr] = []
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.In)
            and _of_signal(module, node.left)
        ):
            parts = list(getattr(node.comparators[0], "elts", []))
        elif isinstance(node, ast.MatchOr):
            parts = [each.value for each in node.patterns if isinstance(each, ast.MatchValue)]
        if {"end_turn", "max_tokens"} <= {constant(module, each) for each in parts}:
            return True
    return False


def _of_signal(module: Module, node: ast.expr) -> bool:
    return "signal" in module.of(node)


def constant(module: Module, node: ast.expr) -> object:
    """Return the string that *node* is; ``...`` for anything else."""
    value = module.values.table.constant(node)
    return value if isinstance(value, str) else ...


def _flagged(value: ast.expr) -> bool:
    """True for a value with a flag about the end in it, which is then the same for every end."""
    keys = (
        [each.value for each in value.keys if isinstance(each, ast.Constant)]
        if isinstance(value, ast.Dict)
        else []
    )
    keys += [each.arg for each in value.keywords] if isinstance(value, ast.Call) else []
    return any(isinstance(each, str) and FLAG.search(each) for each in keys)
