"""What an expression or a statement does to the conversation, and which tests are limits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.kinds import Kinds
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.methods import MERGES, PUTS
from simulator.contract.lint.narrowing import last_name
from simulator.contract.lint.table import Location

OF_ANSWER = frozenset(
    {
        "response",
        "block",
        "call",
        "text",
        "signal",
        "result",
        "block_type",
        "call_id",
        "call_name",
        "call_input",
        "response_id",
        "event",
        "event_type",
        "delta",
        "fragment",
        "stream",
    }
)
"""What comes from the answer: a test of it is no limit."""
LIMITS = re.compile(
    r"check|guard|limit|budget|deadline|cancel|stop|abort|expire|tick|charge|spend|consume|throttle|quota"
    r"|raise_|ensure|enforce|timeout|acquire",
    re.IGNORECASE,
)
"""Names of functions from elsewhere that may end the loop."""


class Happenings:
    """Reads what happens at the nodes of one loop."""

    def __init__(self, module: Module, loop: AgentLoop) -> None:
        self.module, self.loop = module, loop
        self.table = module.values.table
        inside = set(loop.nodes)
        self.varying = {self.table.place(n) for n in inside if isinstance(getattr(n, "ctx", None), ast.Store)}
        self.varying |= set(_moving(module, loop))
        self.flags = _flags(module)

    # --- turns -----------------------------------------------------------------------------------------

    def turns(self, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
        """Yield what an expression adds to a conversation, in order: answer, results, both, or some."""
        match node:
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                for each in elts:
                    yield from self.turns(each)
            case ast.Starred(value=value):
                yield from self.turns(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self.turns(left)
                yield from self.turns(right)
            case _:
                found = self.module.of(node)
                words = k.bases(found)
                if "turn" in words and "result" in words:
                    yield "some", node
                    return
                answer = "assistant" in words
                made = "user" in words and k.handed(found)
                results = made or ("result" in words and bool(words & {"user", "turn"}))
                if answer or results:
                    yield "both" if answer and results else "answer" if answer else "results", node

    def added(self, node: ast.AST) -> tuple[ast.AST, ast.AST] | None:
        """Return the list that something is added to and what is added; None where nothing is."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if args and (
                name in PUTS or name in MERGES
            ):
                return (value, args[-1]) if not self.module.values.targets(node) else None
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                return target, value
            case ast.AugAssign(target=target, value=value):
                return target, value
            case _:
                return None

    # --- limits ----------------------------------------------------------------------------------------

    def is_limit(self, test: ast.AST) -> bool:
        """True for a test that hangs on something which changes and is not the answer."""
        inside_call: set[ast.AST] = set()
        for node in ast.walk(test):
            if node in inside_call:
                continue
            if isinstance(node, ast.Call):
                inside_call.add(node.func)
                if self.counts(node):
                    return True
            elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and self.varies(node):
                return True
        return False

    def counts(self, node: ast.Call) -> bool:
        """True for a call whose outcome is not of the answer: ``cancelled()``, ``len(messages)``."""
        words = self.module.of(node)
        if last_name(node.func) == "len" and len(node.args) == 1:
            given = self.module.of(node.args[0])
            direct = {"*block", "*call", "*result", "text", "block", "call", "response", "call_input"}
            return not given & direct and self.table.place(node.args[0]) is not None
        if self.module.values.targets(node):
            return False  # It is followed.
        receiver = getattr(node.func, "value", None)
        known = receiver is not None and self.of_answer(receiver)
        builtin = isinstance(node.func, ast.Name) and self.table.place(node.func) is None
        return not builtin and not known and not self.of_answer(node) and not _plain(words)

    def varies(self, node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
        """True for a value that may change while the loop runs, and does not come from the answer."""
        if self.of_answer(node) or self.table.constant(node) is not ...:
            return False
        words = self.module.of(node)
        if any(word.startswith(("fn:", "cls:", "obj:", "api")) for word in words):
            return False
        place = self.table.place(node)
        if place in self.flags:
            return False
        if isinstance(node, ast.Name):
            return place in self.varying
        return not self.of_answer(node.value)

    def of_answer(self, node: ast.AST) -> bool:
        """True for what comes from the answer and from nowhere else."""
        return _plain(self.module.of(node))

    def leaves(self, nodes: list[ast.stmt], by_return: bool = True) -> bool:
        """True where *nodes* may leave the loop; *by_return*: it is left where this function is."""
        kinds = (ast.Return, ast.Raise, ast.Break) if by_return else (ast.Raise,)
        for each in nodes:
            for node in ast.walk(each):
                if isinstance(node, kinds):
                    return True
                if isinstance(node, ast.Call) and (self.raises(node) or last_name(node.func) == "exit"):
                    return True
                if (
                    isinstance(getattr(node, "ctx", None), ast.Store)
                    and self.table.place(node) in self.steering
                ):
                    return True
        return False

    @cached_property
    def steering(self) -> set[object]:
        """Places that the head of the loop looks at."""
        test = getattr(self.loop.node, "test", None)
        return (
            {self.table.place(n) for n in ast.walk(test) if self.table.place(n)}
            if test is not None
            else set()
        )

    def decides(self, call: ast.Call, around: bool) -> bool:
        """True where the loop may go by what *call* gives back; *around*: by what its function gives back."""
        for node in self.module.index.ancestors(call):
            if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Match | ast.Compare | ast.BoolOp):
                return True
            if isinstance(node, ast.Return):
                return around
            if isinstance(node, ast.stmt):
                targets = getattr(node, "targets", [getattr(node, "target", None)])
                names = {self.table.place(n) for each in targets if each is not None for n in ast.walk(each)}
                return bool(names & self.tested)
        return around

    @cached_property
    def tested(self) -> set[Location | None]:
        """Places that a test in the loop looks at."""
        every = (self.loop.node, *self.loop.nodes)
        tests = (getattr(n, "test", getattr(n, "subject", None)) for n in every)
        found = {self.table.place(n) for each in tests if each is not None for n in ast.walk(each)}
        return found - {None}

    def raises(self, node: ast.Call) -> bool:
        """True for a call of a helper that may raise."""
        reached = self.module.values.targets(node)
        return any(isinstance(inner, ast.Raise) for each in reached for inner in each.nodes)

    def stops_elsewhere(self, node: ast.Call) -> bool:
        """True for a call of a function from elsewhere whose name says that it may end the loop."""
        if self.module.values.targets(node) or node in self.loop.asks:
            return False
        name = last_name(node.func)
        own = isinstance(node.func, ast.Attribute) and any(
            word.startswith("obj:") for word in self.module.of(node.func.value)
        )
        return (name[:1].islower() and bool(LIMITS.search(name))) or (
            own and "?" in self.module.of(node.func)
        )


def _plain(words: Kinds) -> bool:
    known = k.bases(words) <= OF_ANSWER
    return bool(words) and known and not any("?" in word for word in words)


def _moving(module: Module, loop: AgentLoop) -> Iterator[Location]:
    """Yield the parameters that a recursion hands on changed: ``depth + 1``."""
    for node in loop.nodes if loop.recursive else ():
        if isinstance(node, ast.Call):
            for function in module.values.targets(node):
                given = dict(zip(function.params[1 if function.first else 0 :], node.args, strict=False))
                given |= {each.arg: each.value for each in node.keywords if each.arg in function.params}
                for name, value in given.items():
                    if isinstance(value, ast.BinOp):
                        yield "name", function.number, name


def _flags(module: Module) -> set[object]:
    """Return the local names that are only ever given constants: whoever sets them was decided by a test."""
    table = module.values.table
    given: dict[object, bool] = {}
    for node in module.index.parents:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            around = module.index.parents[node]
            plain = isinstance(around, ast.Assign) and isinstance(around.value, ast.Constant)
            place = table.place(node)
            given[place] = given.get(place, True) and plain
    return {place for place, plain in given.items() if plain}
