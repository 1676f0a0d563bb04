"""Where a way forks: tests that nobody can decide, ``match``, ``try``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.contract.lint.calling import Calling
from simulator.contract.lint.truths import UNKNOWN
from simulator.contract.lint.ways import GUARD, Exit, Way, joined


@dataclass(frozen=True, slots=True)
class Fork:
    """A test that could not be decided: the ways out of the loop that its branches have."""

    test: ast.expr
    way: Way
    body: tuple[Exit, ...]
    orelse: tuple[Exit, ...]
    through: tuple[bool, bool]
    """Whether the loop goes on behind the one and the other branch."""


class Forking(Calling):
    """The forks; ``paths.py`` adds the other statements."""

    def doubted(self, way: Way, truth: bool | None) -> Way:
        """Return *way* less certain where it hangs on what nobody knows."""
        return way if truth is not None else replace(way, certain=False)

    def both(
        self, test: ast.expr, way: Way, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
    ) -> Way | None:
        """Follow two branches of which nobody knows which one is taken."""
        start = replace(way, certain=False)
        mark = len(self.exits)
        one = self.block(body, start)
        middle = len(self.exits)
        other = self.block(orelse, start)
        if way.asked:
            exits = tuple(self.exits)
            through = (one is not None, other is not None)
            self.forks.append(Fork(test, way, exits[mark:middle], exits[middle:], through))
        end = joined(one, other)
        if one is not None and other is not None and end is not None and self.truths.of_a_call(test):
            end = replace(end, done=one.done, known=one.known)  # There is a call: once, this was done.
        if one is not None and other is not None and end is not None and mark == len(self.exits):
            return replace(end, certain=way.certain)
        return end

    def matched(self, node: ast.Match, before: Way) -> Way | None:
        """Follow a ``match``."""
        way: Way | None = self.expression(node.subject, before)
        end: Way | None = None
        for case in node.cases:
            if way is None:
                break
            truth = self.fits(node.subject, case.pattern, way)
            if truth is not False and case.guard is not None:
                if self.happenings.is_limit(case.guard):
                    way = way.might(GUARD)
                held = self.truths.truth(case.guard, way.known, way.asked)
                truth = False if held is False else truth if held else None
            if truth is False:
                continue
            end = joined(end, self.block(case.body, self.doubted(way, truth)))
            way = None if truth else replace(way, certain=False)
        return joined(end, way)

    def fits(self, subject: ast.expr, pattern: ast.pattern, way: Way) -> bool | None:
        """Return whether *subject* fits *pattern*."""
        match pattern:
            case ast.MatchAs(pattern=None):
                return True
            case ast.MatchAs(pattern=ast.pattern() as inner):
                return self.fits(subject, inner, way)
            case ast.MatchOr(patterns=patterns):
                found = [self.fits(subject, each, way) for each in patterns]
                return True if True in found else None if None in found else False
            case ast.MatchValue(value=value):
                one = self.truths.value(subject, way.known, way.asked)
                other = self.truths.table.constant(value)
                return None if one is UNKNOWN or other is ... else one == other
            case ast.MatchSequence(patterns=[]):
                full = self.truths.truth(subject, way.known, way.asked)
                return None if full is None else not full
            case _:
                return None

    def tried(self, node: ast.Try | ast.TryStar, before: Way) -> Way | None:
        """Follow a ``try``: what the handlers do is uncertain."""
        way = self.block(node.orelse, self.block(node.body, before))
        start = replace(before, certain=False)
        for each in node.handlers:
            handled = self.block(each.body, start)
            if way is None:
                way = handled
            elif handled is not None:
                way = way.might(*handled.may)
        return self.block(node.finalbody, way)

    def together(self, ways: Sequence[Way]) -> Way | None:
        """Return where all of *ways* meet."""
        end: Way | None = None
        for each in ways:
            end = joined(end, each)
        return end
