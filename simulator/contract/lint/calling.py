"""Expressions on a way: requests, helpers that are followed, turns that are kept."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from simulator.contract.lint import kinds as k
from simulator.contract.lint.facts import Module
from simulator.contract.lint.happenings import Happenings
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.reading import Function, Looping
from simulator.contract.lint.table import Location
from simulator.contract.lint.truths import EMPTY, FULL, UNKNOWN, Truths, World
from simulator.contract.lint.ways import (
    ANSWER,
    CHANGED,
    DEEPEST,
    EARLY,
    GUARD,
    MORE,
    RESULTS,
    TOLD,
    Exit,
    Frame,
    Way,
    calls_in,
    joined,
)


class Calling:
    """The expressions; ``paths.py`` adds the statements."""

    def __init__(self, module: Module, loop: AgentLoop, world: World, happenings: Happenings) -> None:
        self.module, self.loop, self.happenings = module, loop, happenings
        self.truths = Truths(module, world)
        self.asks = set(loop.asks)
        self.exits: list[Exit] = []
        self.forks: list[object] = []
        self.heads: list[ast.expr] = []
        """Heads of the loop that could not be decided."""
        self.early: list[tuple[ast.AST, ast.AST]] = []
        """Results that were kept before the turn that called, and that turn."""
        self.pending: dict[object, ast.AST] = {}
        self.frames: list[Frame] = []
        self.steps = 0
        self.nexts: list[Way] = []
        self.continued: dict[Looping, list[Way]] = {}

    def expressions(self, nodes: Iterable[ast.expr], way: Way | None) -> Way | None:
        """Follow one expression after the other."""
        for each in nodes:
            if way is None:
                return None
            way = self.expression(each, way)
        return way

    def expression(self, node: ast.expr, way: Way) -> Way | None:
        """Follow the calls in an expression, inner ones first."""
        now: Way | None = way
        for each in calls_in(node):
            if now is None:
                return None
            if isinstance(each, ast.Call):
                now = self.called(each, now)
            elif isinstance(each, ast.NamedExpr):
                now = self.put(each.target, each.value, now)
            elif isinstance(each, ast.IfExp):
                now = self.either(each, now)
            else:
                now = now.did(TOLD)
        return now

    def either(self, node: ast.IfExp, way: Way) -> Way | None:
        """Follow a conditional expression."""
        after = self.expression(node.test, way)
        if after is None:
            return None
        truth = self.truths.truth(node.test, after.known, after.asked)
        one = None if truth is False else self.expression(node.body, after)
        return joined(one, None if truth else self.expression(node.orelse, after))

    def called(self, node: ast.Call, way: Way) -> Way | None:
        """Follow one call."""
        self.truths.returned.pop(node, None)
        if node in self.asks:
            return self.ask(node, way)
        added = self.happenings.added(node)
        if added is not None:
            return self.kept(*added, self.more(added[1], way.did(CHANGED)))
        if self.happenings.stops_elsewhere(node):
            way = way.might(GUARD)
        helpers = [each for each in self.module.values.targets(node) if each in self.loop.helpers]
        if not helpers:
            return self.elsewhere(node, way)
        if len(helpers) == 1:
            return self.helped(node, helpers[0], way)
        start = Way(way.known, way.done, way.may, way.passed, way.asked, False)
        end: Way | None = None
        for each in helpers:
            end = joined(end, self.helped(node, each, start))
        self.truths.returned.pop(node, None)
        return end

    def ask(self, node: ast.Call, way: Way) -> Way | None:
        """The next request: here a way that has its answer ends."""
        if way.asked:
            self.exits.append(Exit("again", node, way))
            return None
        self.pending.clear()
        return Way(way.known, asked=True)

    def more(self, value: ast.AST, way: Way) -> Way:
        """Note that what is kept is not just the turn of the assistant."""
        turns = [what for what, _ in self.happenings.turns(value)]
        counted = isinstance(value, ast.Constant) and value.value == 1
        return way if counted or turns == ["answer"] else way.might(MORE)

    def elsewhere(self, node: ast.Call, way: Way) -> Way:
        """Note what a function from elsewhere may do with the answer."""
        words = self.module.of(node.func)
        given = [*node.args, *(each.value for each in node.keywords)]
        told = any("response" in self.module.of(each) or "signal" in self.module.of(each) for each in given)
        builtin = isinstance(node.func, ast.Name) and self.module.values.table.place(node.func) is None
        if told and not builtin and not any(word.startswith("cls:") for word in words):
            way = way.might(TOLD)
        turns = any(k.bases(self.module.of(each)) & {"turn", "user"} for each in given)
        return way.might(MORE) if turns and not builtin else way

    def helped(self, node: ast.Call, function: Function, way: Way) -> Way | None:
        """Follow a helper of the module."""
        times = sum(frame.function is function for frame in self.frames)
        again = function is self.loop.function and self.loop.recursive
        if times > (1 if again else 0) or len(self.frames) > DEEPEST:
            return way.might(GUARD, ANSWER, RESULTS, TOLD, CHANGED, MORE)
        if again:
            way = self.handed(node, way)
        self.frames.append(Frame(function, self.happenings.decides(node, self.frames[-1].decides)))
        try:
            end = self.body(function, way)
        finally:
            frame = self.frames.pop()
        values = [self.truths.value(e.value, e.way.known, e.way.asked) for e in frame.returns if e.value]
        values += [None] * (sum(e.value is None for e in frame.returns) + (end is not None))
        self.note(node, frame.returns, values)
        for each in frame.returns:
            end = joined(end, each.way)
        return end

    def note(self, node: ast.Call, returns: Sequence[Exit], values: Sequence[object]) -> None:
        """Remember what a call came to, where that is one thing."""
        if values and all(each is values[0] for each in values) and values[0] is not UNKNOWN:
            self.truths.returned[node] = values[0]
        elif len(returns) == 1 and len(values) == 1 and returns[0].value is not None:
            exit_ = returns[0]
            truth = self.truths.truth(returns[0].value, exit_.way.known, exit_.way.asked)
            if truth is not None:
                self.truths.returned[node] = FULL if truth else EMPTY

    def body(self, function: Function, way: Way) -> Way | None:
        """Follow the body of a function."""
        if isinstance(function.node, ast.Lambda):
            end = self.expression(function.node.body, way)
            if end is not None:
                self.frames[-1].returns.append(Exit("return", function.node, end, function.node.body))
            return None
        assert not isinstance(function.node, ast.Module)
        return self.block(function.node.body, way)

    def block(self, statements: Sequence[ast.stmt], way: Way | None) -> Way | None:
        """Follow statements."""
        raise AssertionError("paths.py says it")

    def handed(self, node: ast.Call, way: Way) -> Way:
        """Note the turns that a recursion hands to itself."""
        for each in (*node.args, *(keyword.value for keyword in node.keywords)):
            way = self.kept(None, each, way)
        return way

    # --- what is kept ----------------------------------------------------------------------------------

    def given(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, before: Way) -> Way | None:
        """Follow an assignment."""
        if node.value is None:
            return before
        way = self.expression(node.value, before)
        if way is None:
            return None
        way = Way(way.known, way.done, way.may, way.passed | {node}, way.asked, way.certain)
        added = self.happenings.added(node)
        if added is not None:
            way = self.kept(*added, way)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            value = None if isinstance(node, ast.AugAssign) else node.value
            way = self.put(target, value, way)
        return self.more(node.value, way.did(CHANGED)) if isinstance(node, ast.AugAssign) else way

    def put(self, target: ast.expr, value: ast.expr | None, way: Way) -> Way:
        """Remember what a name is given, as far as it is known."""
        if isinstance(target, ast.Tuple | ast.List):
            pairs = (
                value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            )
            for n, each in enumerate(target.elts):
                way = self.put(each, pairs[n] if pairs else None, way)
            return way
        if isinstance(target, ast.Attribute) and value is not None:
            way = self.stored(value, way)
        place = self.truths.table.place(target)
        if place is None:
            return way
        known = UNKNOWN if value is None else self.truths.value(value, way.known, way.asked)
        if known is UNKNOWN and value is not None:
            truth = self.truths.truth(value, way.known, way.asked)
            known = UNKNOWN if truth is None else FULL if truth else EMPTY
        return way.forgets(place) if known is UNKNOWN else way.knows(place, known)

    def stored(self, value: ast.expr, way: Way) -> Way:
        """Note that an object keeps the answer, or its signal, where others can see it."""
        words = self.module.of(value)
        return way.did(TOLD) if words & {"response", "signal", "~signal", ".response", ".signal"} else way

    def kept(self, target: ast.AST | None, value: ast.AST, way: Way) -> Way:
        """Note the turns in *value*, which are added to *target*."""
        key = self.key(target)
        for what, node in self.happenings.turns(value):
            if isinstance(node, ast.Name | ast.Attribute) and (target is None or self.key(node) == key):
                continue  # The list itself, as it was.
            if what == "some":
                way = way.might(ANSWER, RESULTS)
            if what in ("answer", "both"):
                first = self.pending.get(key)
                if what == "answer" and EARLY in way.done and ANSWER not in way.may and first is not None:
                    self.early.append((first, node))
                way = way.did(ANSWER)
            if what in ("results", "both"):
                if what == "results" and ANSWER not in way.may:
                    self.pending[key] = node
                    way = way.did(EARLY)
                way = way.did(RESULTS)
        return way

    def key(self, target: ast.AST | None) -> Location | None:
        """Return the place of the list that *target* is."""
        place = self.truths.table.place(target)
        return self.truths.table.root(place) if place is not None else None
