"""What calls give, and the rounds over a module until nothing is learned any more."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from simulator.contract.lint import kinds as k
from simulator.contract.lint.expressions import Expressions
from simulator.contract.lint.kinds import NONE, Kinds
from simulator.contract.lint.methods import Methods
from simulator.contract.lint.reading import Class, Function, Index, decorators
from simulator.contract.lint.statements import Statements, grows
from simulator.contract.lint.table import Location

ROUNDS = 25
ANOTHER_API = frozenset({"body", "to", "from_", "role", "thread_id", "input"})
"""Keywords of ``messages.create`` in other APIs."""


class Values(Statements, Methods, Expressions):
    """Everything of a module, by ``of(node)``."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self.known |= {("attr", 0, name) for each in self.classes.values() for name in each.fields}
        for node in index.parents:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self.known.add(("attr", 0, node.attr))
        self.learn()

    def learn(self) -> None:
        """Go over the module until nothing changes."""
        nodes = list(self.index.parents)
        for self.settled in (False, True):
            for _ in range(ROUNDS):
                self.table.changed = False
                self.memo.clear()
                for node in nodes:
                    self.statement(node)
                if not self.table.changed:
                    break
        self.memo.clear()

    # --- calls -----------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Kinds:
        """Return what a call gives, and hand its arguments to the parameters."""
        function = self.of(node.func)
        asked = self.answer_of(node, function)
        if asked is not None:
            return asked
        found = NONE
        reached = False
        for word in function:
            if word.startswith("fn:"):
                found |= self.invoke(self.index.functions[int(word[3:])], node)
                reached = True
            elif word.startswith("cls:"):
                found |= self.construct(self.classes[int(word[4:])], node)
                reached = True
        return found if reached else self.elsewhere(node, function)

    def answer_of(self, node: ast.Call, function: Kinds) -> Kinds | None:
        """Return what asking gives; None where the call does not ask."""
        if not function & {"api", "api_stream"}:
            return None
        names = {each.arg for each in node.keywords}
        if node.args or (names & ANOTHER_API and "messages" not in names):
            return None
        streams = next((each.value for each in node.keywords if each.arg == "stream"), None)
        if "api_stream" in function or self.table.constant(streams or ast.Constant(False)) is True:
            return frozenset({"stream"})
        return frozenset({"response", "stream"} if streams is not None else {"response"})

    def invoke(self, function: Function, node: ast.Call) -> Kinds:
        """Bind the arguments to the parameters of *function* and return what it gives back."""
        skip = 1 if function.first is not None and not self.by_class(node, function) else 0
        self.hand_over(function, node.args, function.params[skip:])
        self.hand_over_named(function, node.keywords)
        return self.returned(function)

    def by_class(self, node: ast.Call, function: Function) -> bool:
        """True for ``Agent.run(agent)``: the object is handed over like any other argument."""
        value = getattr(node.func, "value", None)
        classmethod_ = "classmethod" in decorators(function.node)
        plain = isinstance(value, ast.Name) and value.id in self.index.classes
        return plain and not classmethod_

    def hand_over(self, function: Function, args: Sequence[ast.AST], params: Sequence[str]) -> None:
        """Put positional arguments to parameters."""
        for place, arg in enumerate(args):
            if isinstance(arg, ast.Starred):
                for param in params[place:]:
                    self.table.add(("name", function.number, param), k.item(self.of(arg.value)))
                return
            if place < len(params):
                self.give(("name", function.number, params[place]), arg)

    def hand_over_named(self, function: Function, keywords: Sequence[ast.keyword]) -> None:
        """Put named arguments to parameters; ``**given`` may hold any of them."""
        for each in keywords:
            if each.arg is None:
                for param in function.params:
                    if self.table.at(("key", 0, param)):
                        self.table.add(("name", function.number, param), self.table.at(("key", 0, param)))
                self.of(each.value)
            elif each.arg in function.params:
                self.give(("name", function.number, each.arg), each.value)
            else:
                self.of(each.value)

    def give(self, place: Location, value: ast.AST) -> None:
        """Put *value* at *place*, and remember that they are one object where they are."""
        words = self.of(value)
        self.table.add(place, words)
        if grows(words):
            self.table.bind(place, self.table.place(value))

    def returned(self, function: Function) -> Kinds:
        """Return what a call of *function* gives."""
        if not function.generates:
            return self.table.at(("ret", function.number, ""))
        return k.star(self.table.at(("yield", function.number, "")))

    def construct(self, cls: Class, node: ast.Call) -> Kinds:
        """Return an object of *cls*; its arguments are handed to ``__init__`` or to its fields."""
        init = self.index.method(cls, "__init__")
        if init is not None:
            self.hand_over(init, node.args, init.params[1:])
            self.hand_over_named(init, node.keywords)
        names = self.fields_of(cls)
        found = k.held(self.all_of([*node.args, *(each.value for each in node.keywords)]))
        if init is None:
            for name, arg in zip(names, node.args, strict=False):
                self.give(("attr", 0, name), arg)
            for each in node.keywords:
                if each.arg is not None:
                    self.give(("attr", 0, each.arg), each.value)
        return found | {f"obj:{cls.number}"}

    def fields_of(self, cls: Class) -> list[str]:
        """Return the fields of a dataclass, those of its bases first."""
        names = [getattr(base, "id", "") for base in cls.node.bases]
        bases = [self.index.classes[name] for name in names if name in self.index.classes]
        inherited = [name for each in bases if each is not cls for name in each.fields]
        return [*inherited, *(name for name in cls.fields if name not in inherited)]
