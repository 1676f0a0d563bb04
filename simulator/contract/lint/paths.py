"""Follows the ways through one agent loop in one world; see ``ways.py`` for the rules."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from simulator.contract.lint.forking import Forking
from simulator.contract.lint.reading import Looping
from simulator.contract.lint.ways import GUARD, LONGEST, Exit, Frame, TooLong, Way, joined


class Paths(Forking):
    """``exits`` and ``forks`` hold what was found."""

    def follow(self) -> Paths:
        """Follow the loop, twice round: the second time up to the next request."""
        self.frames = [Frame(self.loop.function)]
        if isinstance(self.loop.node, Looping):
            self.rounds(self.loop.node)
        else:
            self.ended(self.block(self.loop.node.body, Way()))
        return self

    def rounds(self, node: Looping) -> None:
        """Follow a ``for`` or a ``while``."""
        way: Way | None = Way()
        for _ in range(2):
            if way is None:
                return
            way, out = self.head(node, way)
            if out is not None:
                self.behind(node, out, node.orelse)
            if way is None:
                return
            self.frames[0].breaks = [[]]
            self.nexts: list[Way] = []
            end = self.block(node.body, way)
            broken = self.together(self.frames[0].breaks[0])
            if broken is not None and broken.asked:
                self.exits.append(Exit("break", node, broken))
                self.behind(node, broken, [])
            way = joined(end, self.together(self.nexts))
            if way is not None and way.asked:
                self.exits.append(Exit("next", node, way))

    def head(self, node: Looping, way: Way) -> tuple[Way | None, Way | None]:
        """Return the way into the body and the way past the loop."""
        if not isinstance(node, ast.While):
            return self.expression(node.iter, way), None
        after = self.expression(node.test, way)
        if after is None:
            return None, None
        truth = self.truths.truth(node.test, after.known, after.asked)
        if truth is None and self.happenings.is_limit(node.test):
            after = after.might(GUARD)
        out = None if truth is True or not after.asked else self.doubted(after, truth)
        if out is not None:
            self.exits.append(Exit("break", node, out))
        if truth is None and after.asked:
            self.heads.append(node.test)
        return (None if truth is False else after if truth else self.doubted(after, truth)), out

    def behind(self, node: ast.stmt, way: Way, orelse: Sequence[ast.stmt]) -> None:
        """Follow what comes after the loop, to the end of its function."""
        end = self.block(orelse, way)
        child: ast.AST = node
        for around in self.module.index.ancestors(node):
            if end is None or isinstance(around, Looping):
                return
            for name in ("body", "orelse", "handlers", "finalbody"):
                statements = getattr(around, name, None)
                if isinstance(statements, list) and child in statements:
                    end = self.block(statements[statements.index(child) + 1 :], end)
                    break
            if around is self.loop.function.node:
                self.ended(end)
                return
            child = around

    def ended(self, way: Way | None) -> None:
        """Note that the function ends without a ``return``."""
        if way is not None and way.asked:
            self.exits.append(Exit("return", self.loop.function.node, way))

    # --- statements ------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], way: Way | None) -> Way | None:
        """Follow statements; None where no way leads behind them."""
        for each in statements:
            if way is None:
                return None
            way = self.statement(each, way)
        return way

    def statement(self, node: ast.stmt, way: Way) -> Way | None:
        """Follow one statement. Raises TooLong."""
        self.steps += 1
        if self.steps > LONGEST:
            raise TooLong
        match node:
            case ast.If(test=test):
                return self.fork(node, test, way)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self.inner(node, way)
            case ast.Match():
                return self.matched(node, way)
            case ast.Try() | ast.TryStar():
                return self.tried(node, way)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self.block(body, self.expressions([each.context_expr for each in items], way))
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                self.left(node, way)
                return None
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self.given(node, way)
            case ast.Assert(test=test):
                after = self.expression(test, way)
                return after.might(GUARD) if after and self.happenings.is_limit(test) else after
            case ast.Expr(value=value):
                return self.expression(value, way)
            case _:
                return way

    def fork(self, node: ast.If, test: ast.expr, before: Way) -> Way | None:
        """Follow an ``if``."""
        way = self.expression(test, before)
        if way is None:
            return None
        truth = self.truths.truth(test, way.known, way.asked)
        if truth is not None:
            return self.block(node.body if truth else node.orelse, way)
        by_return = self.frames[-1].decides
        may_leave = any(self.happenings.leaves(each, by_return) for each in (node.body, node.orelse))
        if may_leave and self.happenings.is_limit(test):
            way = way.might(GUARD)
        return self.both(test, way, node.body, node.orelse)

    def inner(self, node: Looping, way: Way) -> Way | None:
        """Follow a loop within the loop: once round, or past it."""
        frame = self.frames[-1]
        entered = self.expression(node.test if isinstance(node, ast.While) else node.iter, way)
        if entered is None:
            return None
        if isinstance(node, ast.While):
            truth = self.truths.truth(node.test, entered.known, entered.asked)
        else:
            truth = self.goes_over(node, entered)
        if truth is False:
            return self.block(node.orelse, entered)
        frame.breaks.append([])
        start = self.doubted(entered, truth)
        end = joined(self.block(node.body, start), self.together(self.continued.pop(node, [])))
        broken = self.together(frame.breaks.pop())
        if isinstance(node, ast.While) and truth is True:
            return broken
        passed = joined(end, None if truth else start)
        after = joined(self.block(node.orelse, passed), broken)
        whole = len(frame.returns) == 0 and broken is None and after is not None
        return replace(after, certain=way.certain) if whole and after is not None else after

    def goes_over(self, node: ast.For | ast.AsyncFor, way: Way) -> bool | None:
        """Return whether the body of an inner loop runs: over calls it does where there are any."""
        words = self.module.of(node.iter)
        if way.asked and words & {"*call", "*block"}:
            return True if self.truths.world.calls else False if words == {"*call"} else None
        return None

    def left(self, node: ast.Return | ast.Raise | ast.Break | ast.Continue, before: Way) -> None:
        """Follow what leaves a function or a loop."""
        frame = self.frames[-1]
        value = (
            node.value if isinstance(node, ast.Return) else node.exc if isinstance(node, ast.Raise) else None
        )
        way = self.expression(value, before) if value is not None else before
        if way is None:
            return
        if isinstance(node, ast.Break) and frame.breaks:
            frame.breaks[-1].append(way)
            if len(self.frames) == 1 and len(frame.breaks) == 1 and way.asked:
                self.exits.append(Exit("leave", node, way))
        elif isinstance(node, ast.Continue):
            self.onward(node, way)
        elif isinstance(node, ast.Return) and len(self.frames) > 1:
            frame.returns.append(Exit("return", node, way, node.value))
        elif way.asked:
            kind = "return" if isinstance(node, ast.Return) else "raise"
            self.exits.append(Exit(kind, node, way, value))

    def onward(self, node: ast.Continue, way: Way) -> None:
        """Go to the next round of the loop that is meant."""
        loop = next(each for each in self.module.index.ancestors(node) if isinstance(each, Looping))
        if loop is self.loop.node:
            self.nexts.append(way)
        else:
            self.continued.setdefault(loop, []).append(way)
