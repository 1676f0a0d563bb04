"""What a test comes to when the model's answer has a certain ``stop_reason``.

Rules of this file:

1. A world is one signal, and whether the answer holds calls. Three outcomes: True, False, and None where it
   hangs on something else.
2. What a name was given on the way is known from the way (``Way.known``); else it is looked up where it is
   given only once.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.contract.lint.facts import Module
from simulator.contract.lint.table import Comprehension, Location

SIGNALS = (
    "tool_use",
    "end_turn",
    "stop_sequence",
    "max_tokens",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
)
OTHER = "another_signal"
"""Stands for a value that nobody has heard of."""
UNKNOWN, FULL, EMPTY = object(), object(), object()
"""Not known; not known, but it holds (a list with something in it); not known, but it does not hold."""
DEEPEST = 12

Known = Mapping[Location, object]


@dataclass(frozen=True, slots=True)
class World:
    """An answer."""

    signal: str
    calls: bool = False


TOOL_USE = World("tool_use", True)
WORLDS = (TOOL_USE, *(World(signal) for signal in (*SIGNALS[1:], OTHER)))
CUT_CALL = World("max_tokens", True)


class Truths:
    """Evaluates tests of one module in one world."""

    def __init__(self, module: Module, world: World) -> None:
        self.module, self.world = module, world
        self.table = module.values.table
        self.returned: dict[ast.AST, object] = {}
        """What calls came to that were followed on the way."""
        self.once = _given_once(module)

    def truth(self, node: ast.AST, known: Known, asked: bool, depth: int = 0) -> bool | None:
        """Return whether *node* holds; *asked*: this world's answer is there."""
        value = self.value(node, known, asked, depth)
        if value is not UNKNOWN:
            return bool(value)
        return self.judged(node, known, asked, depth)

    def value(self, node: ast.AST, known: Known, asked: bool, depth: int = 0) -> object:
        """Return the value of *node* where it is a constant one, else ``UNKNOWN``."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self.value(inner, known, asked, depth)
            case ast.Call() if node in self.returned:
                return self.returned[node]
            case ast.Name() | ast.Attribute() | ast.Subscript():
                if asked and self.is_signal(node):
                    return self.world.signal
                place = self.table.place(node)
                if place is not None and place in known:
                    return UNKNOWN if known[place] in (FULL, EMPTY) else known[place]
                constant = self.table.constant(node)
                return UNKNOWN if constant is ... else constant
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(), *_]):
                return self.world.signal if asked and self.is_signal(node) else UNKNOWN
            case _:
                return UNKNOWN

    def is_signal(self, node: ast.AST) -> bool:
        """True for the signal, wherever else it may come from."""
        words = self.module.of(node)
        return "signal" in words and words <= {"signal", "?", "?signal"}

    def judged(self, node: ast.AST, known: Known, asked: bool, depth: int) -> bool | None:
        """Return whether an expression holds that is no constant."""
        place = self.table.place(node)
        if place is not None and known.get(place) in (FULL, EMPTY):
            return known[place] is FULL
        if depth > DEEPEST:
            return None
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, known, asked, depth + 1)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=values):
                parts = [self.truth(each, known, asked, depth + 1) for each in values]
                decisive = isinstance(op, ast.Or)
                if decisive in parts:
                    return decisive
                return None if None in parts else not decisive
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.compared(left, op, right, known, asked, depth)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self.truth(inner, known, asked, depth + 1)
            case ast.Call():
                return self.called(node, known, asked, depth)
            case ast.Name() if asked and not self.calls_here(node) and node.id in self.once:
                place = self.table.place(node)
                given = self.once[node.id]
                if place is not None and place == self.table.place(given[0]):
                    return self.truth(given[1], known, asked, depth + 1)
                return None
            case _:
                return self.world.calls if asked and self.calls_here(node) else None

    def of_a_call(self, test: ast.AST) -> bool:
        """True for ``block.type == "tool_use"`` where there is such a block."""
        match test:
            case ast.Compare(left=left) if self.world.calls and "block_type" in self.module.of(left):
                return _says_tool_use(self, test)
            case _:
                return False

    def calls_here(self, node: ast.AST) -> bool:
        """True for the list of calls, or of results: it is empty where nothing was called."""
        if isinstance(node, Comprehension | ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            words = self.module.of(node)
            return words in ({"*call"}, {"*result"}) or (bool(words) and words <= {"*call", "call"})
        return False

    def called(self, node: ast.Call, known: Known, asked: bool, depth: int) -> bool | None:
        """Return whether a call of a builtin holds: ``bool``, ``any``, ``len`` of calls."""
        name = getattr(node.func, "id", "")
        if not asked or len(node.args) != 1:
            return self.world.calls if asked and self.calls_here(node) else None
        arg = node.args[0]
        if name in ("bool", "len", "list", "tuple"):
            return self.truth(arg, known, asked, depth + 1)
        each = arg.elt if name == "any" and isinstance(arg, ast.GeneratorExp | ast.ListComp) else None
        if each is not None and "~block_type" in self.module.of(each) and _says_tool_use(self, each):
            return self.world.calls
        return self.world.calls if self.calls_here(node) else None

    def compared(
        self, left: ast.AST, op: ast.cmpop, right: ast.AST, known: Known, asked: bool, depth: int
    ) -> bool | None:
        """Return whether a comparison holds."""
        typed = asked and not self.world.calls and "block_type" in self.module.of(left)
        if typed and isinstance(op, ast.Eq | ast.NotEq) and self.table.constant(right) == "tool_use":
            return isinstance(op, ast.NotEq)  # There is no such block.
        one = self.value(left, known, asked, depth)
        if isinstance(op, ast.In | ast.NotIn):
            many = self.several(right)
            if many is None or one is UNKNOWN:
                return None
            return (one in many) is isinstance(op, ast.In)
        other = self.value(right, known, asked, depth)
        if one is UNKNOWN or other is UNKNOWN:
            return self.counted(left, op, other, known, asked, depth)
        if isinstance(op, ast.Eq | ast.Is):
            return one == other
        return one != other if isinstance(op, ast.NotEq | ast.IsNot) else None

    def counted(
        self, left: ast.AST, op: ast.cmpop, other: object, known: Known, asked: bool, depth: int
    ) -> bool | None:
        """Return whether ``len(calls) > 0``, ``calls == []``, ``response is None`` and their like hold."""
        if asked and isinstance(op, ast.Is | ast.IsNot) and other is None:
            there = self.module.of(left)
            return isinstance(op, ast.IsNot) if there == {"response"} else None
        if other != 0 or other is False or not isinstance(left, ast.Call):
            return None
        some = self.truth(left, known, asked, depth + 1) if getattr(left.func, "id", "") == "len" else None
        if some is None:
            return None
        return some if isinstance(op, ast.Gt | ast.NotEq) else not some if isinstance(op, ast.Eq) else None

    def several(self, node: ast.AST) -> list[object] | None:
        """Return the constants in a display, or in the only one that a name is given."""
        if isinstance(node, ast.Name) and node.id in self.once:
            node = self.once[node.id][1]
        if isinstance(node, ast.Call) and len(node.args) == 1:
            node = node.args[0]  # frozenset({...})
        if not isinstance(node, ast.Tuple | ast.List | ast.Set):
            return None
        values = [self.table.constant(each) for each in node.elts]
        return None if ... in values else values


def _says_tool_use(truths: Truths, node: ast.AST) -> bool:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return "tool_use" in {truths.table.constant(left), truths.table.constant(right)}
        case _:
            return False


def _given_once(module: Module) -> dict[str, tuple[ast.Name, ast.expr]]:
    """Return the names that are given something once in the whole module, with what it is."""
    given: dict[str, list[tuple[ast.Name, ast.expr] | None]] = {}
    for node in module.index.parents:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            around = module.index.parents[node]
            plain = isinstance(around, ast.Assign | ast.AnnAssign | ast.NamedExpr)
            value = getattr(around, "value", None) if plain else None
            given.setdefault(node.id, []).append((node, value) if value is not None else None)
        elif isinstance(node, ast.arg):
            given.setdefault(node.arg, []).append(None)
    only = {name: each[0] for name, each in given.items() if len(each) == 1}
    return {name: each for name, each in only.items() if each is not None}
