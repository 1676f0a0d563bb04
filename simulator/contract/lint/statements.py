"""What statements put where."""

from __future__ import annotations

import ast

from simulator.contract.lint import kinds as k
from simulator.contract.lint.expressions import Expressions
from simulator.contract.lint.kinds import NONE, Kinds
from simulator.contract.lint.reading import decorators


class Statements(Expressions):
    """One node of the module after the other."""

    def statement(self, node: ast.AST) -> None:
        """Learn what *node* puts where."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, self.of(value) | self.decided(node, value), value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.of(value) | self.decided(node, value), value)
            case ast.AugAssign(target=target, value=value):
                self.grow(node, target, value)
            case ast.NamedExpr(target=target, value=value):
                self.assign(target, self.of(value), value)
            case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
                self.assign(target, k.item(self.of(source)), None)
            case ast.comprehension(target=target, iter=source):
                self.assign(target, k.item(self.of(source)), None)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                self.assign(target, self.entered(value), None)
            case ast.Return(value=ast.expr() as value):
                words = self.of(value) | self.decided(node, value)
                self.table.add(("ret", self.index.owner(node).number, ""), words)
            case ast.Yield(value=ast.expr() as value):
                self.table.add(("yield", self.index.owner(node).number, ""), self.of(value))
            case ast.YieldFrom(value=value):
                self.of(node)
                self.table.add(("yield", self.index.owner(node).number, ""), k.item(self.of(value)))
            case ast.Lambda(body=body):
                self.table.add(("ret", self.index.by_node[node].number, ""), self.of(body))
            case ast.Match(subject=subject, cases=cases):
                for case in cases:
                    self.capture(case.pattern, self.of(subject))
            case ast.expr():
                self.of(node)
            case _:
                pass

    def decided(self, node: ast.AST, value: ast.AST) -> Kinds:
        """Return what decides that a flag is set: ``if "done" in text: finished = True``."""
        around = self.index.parent(node)
        if isinstance(value, ast.Constant) and isinstance(value.value, bool) and isinstance(around, ast.If):
            return k.derived(self.of(around.test))
        return NONE

    def entered(self, value: ast.AST) -> Kinds:
        """Return what ``with`` gives: of a generator that is a context manager, what it yields."""
        if isinstance(value, ast.Call):
            managers = {"contextmanager", "asynccontextmanager"}
            if any(decorators(each.node) & managers for each in self.targets(value)):
                return k.item(self.of(value))
        return self.of(value)

    def grow(self, node: ast.AST, target: ast.AST, value: ast.AST) -> None:
        """Learn from ``target += value``."""
        words = self.of(value)
        place = self.table.place(target)
        self.table.mutate(place, words)
        if isinstance(target, ast.Subscript):
            self.assign(target, words, None)

    def assign(self, target: ast.AST, words: Kinds, value: ast.AST | None) -> None:
        """Put *words* to *target*; *value* is the expression they are of, where there is one."""
        match target:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(elts)
                parts = value.elts if same and isinstance(value, ast.Tuple | ast.List) else [None] * len(elts)
                given = self.given_back(value, len(elts)) or [k.item(words)] * len(elts)
                for each, part, there in zip(elts, parts, given, strict=True):
                    self.assign(each, there if part is None else self.of(part), part)
            case ast.Starred(value=inner):
                self.assign(inner, k.star(words), None)
            case ast.Subscript(value=held, slice=index):
                key = self.table.constant(index)
                if isinstance(key, str):
                    self.table.add(("key", 0, key), words)
                held_words = k.held(words) if isinstance(key, str) else k.star(words)
                self.table.mutate(
                    self.table.place(held), words if isinstance(index, ast.Slice) else held_words
                )
                self.marked(held, key, value)
            case ast.Name() | ast.Attribute():
                place = self.table.place(target)
                self.table.add(place, words)
                if grows(words):
                    self.table.bind(place, self.table.place(value))
            case _:
                pass

    def given_back(self, value: ast.AST | None, count: int) -> list[Kinds] | None:
        """Return what each part of a call's tuple is; None where its helpers do not spell *count* parts."""
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call) or "?" in self.of(call.func):
            return None
        targets = self.targets(call)
        returns = [node for each in targets for node in each.nodes if isinstance(node, ast.Return)]
        parts = [each.value.elts for each in returns if isinstance(each.value, ast.Tuple)]
        whole = len(parts) == len(returns) and all(len(each) == count for each in parts)
        if not parts or not whole or any(each.generates for each in targets):
            return None
        if any(isinstance(part, ast.Starred) for each in parts for part in each):
            return None
        pairs = [(node, each) for node, each in zip(returns, parts, strict=True)]
        return [
            NONE.union(*(self.of(each[n]) | self.decided(node, each[n]) for node, each in pairs))
            for n in range(count)
        ]

    def marked(self, held: ast.AST, key: object, value: ast.AST | None) -> None:
        """Learn that a dictionary is a result when its type or its id is set afterwards."""
        constant = self.table.constant(value) if value is not None else ...
        if key == "tool_use_id" or (key == "type" and constant == "tool_result"):
            self.table.add(self.table.place(held), {"result"})

    def capture(self, pattern: ast.pattern, words: Kinds) -> None:
        """Put what a pattern takes apart to its names."""
        match pattern:
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.capture(inner, words)
                if name is not None:
                    scope = self.index.scope(self.index.owner(pattern), name)
                    self.table.add(("name", scope.number if scope else 0, name), words)
            case ast.MatchOr(patterns=patterns):
                for each in patterns:
                    self.capture(each, words)
            case ast.MatchSequence(patterns=patterns):
                for each in patterns:
                    rest = isinstance(each, ast.MatchStar)
                    self.capture(each, words if rest else k.item(words))
            case ast.MatchMapping(keys=keys, patterns=patterns):
                for key, each in zip(keys, patterns, strict=True):
                    self.capture(each, self.key(words, str(self.table.constant(key))))
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns):
                for attr, each in zip(names, patterns, strict=True):
                    self.capture(each, k.taken(words, attr) or self.table.at(("attr", 0, attr)))
            case ast.MatchStar(name=str(name)):
                scope = self.index.scope(self.index.owner(pattern), name)
                self.table.add(("name", scope.number if scope else 0, name), words)
            case _:
                pass


def grows(words: Kinds) -> bool:
    """True for what may be a list or a dictionary of the loop: not for what came with the answer."""
    known = words - {"?"}
    return not known or bool(known - k.PLAIN - k.FIELDS.keys() - {"fragment"})
