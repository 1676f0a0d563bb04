"""What an expression may be, in the words of ``kinds.py``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from simulator.contract.lint import kinds as k
from simulator.contract.lint.kinds import NONE, OUTSIDE, Kinds
from simulator.contract.lint.narrowing import is_call, last_name
from simulator.contract.lint.reading import Class, Function, Index, decorators
from simulator.contract.lint.table import Comprehension, Table

VERBS = frozenset({"create", "stream", "parse"})
RAW = frozenset({"with_raw_response", "with_streaming_response"})
OTHERS = frozenset({"threads", "chat", "conversations"})
"""``client.beta.threads.messages.create`` and its like are another API's."""


class Expressions:
    """Words of expressions; ``calls.py`` adds those of calls."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.table = Table(index)
        self.memo: dict[ast.AST, Kinds] = {}
        self.settled = False
        """Whether all is learned that the module itself gives: only then the rest comes from elsewhere."""
        self.narrow: dict[ast.AST, bool] = {}
        self.classes: dict[int, Class] = {each.number: each for each in index.classes.values()}
        self.methods: dict[str, list[Function]] = {}
        for function in index.functions:
            if function.cls is not None:
                self.methods.setdefault(function.name.rsplit(".", 1)[-1], []).append(function)
        self.known = {place for place in self.table.words if place[0] == "attr"}

    def of(self, node: ast.AST | None) -> Kinds:
        """Return what *node* may be."""
        if node is None:
            return NONE
        if node not in self.memo:
            self.memo[node] = NONE  # Where it leads back to itself, nothing is added.
            self.memo[node] = self._of(node)
        return self.memo[node]

    def all_of(self, nodes: Iterable[ast.AST | None]) -> Kinds:
        """Return what any of *nodes* may be."""
        return NONE.union(*(self.of(node) for node in nodes))

    def _of(self, node: ast.AST) -> Kinds:
        match node:
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Dict():
                return self.dictionary(node)
            case ast.List() | ast.Tuple() | ast.Set():
                return self.display(node.elts)
            case ast.Await(value=value) | ast.NamedExpr(value=value) | ast.FormattedValue(value=value):
                return self.of(value)
            case ast.Lambda():
                return frozenset({f"fn:{self.index.by_node[node].number}"})
            case _ if isinstance(node, Comprehension):
                return self.comprehension(node)
            case _:
                return self.operation(node)

    def operation(self, node: ast.AST) -> Kinds:
        """Return what an operator makes."""
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.BitOr() | ast.Mult() | ast.Mod(), right=right):
                return self.all_of((left, right))
            case ast.BinOp(left=left, right=right):
                return k.derived(self.all_of((left, right)))
            case ast.BoolOp(values=values):
                return self.all_of(values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                told = isinstance(body, ast.Constant) and isinstance(orelse, ast.Constant)
                return self.all_of((body, orelse)) | (k.derived(self.of(test)) if told else NONE)
            case ast.JoinedStr(values=values):
                parts = self.all_of(values)
                return k.derived(parts) | (parts & {"text"})
            case ast.Compare(left=left, comparators=comparators):
                return k.derived(self.all_of((left, *comparators)))
            case ast.UnaryOp(operand=operand):
                return k.derived(self.of(operand))
            case ast.YieldFrom(value=value) if isinstance(value, ast.Call):
                self.of(value)
                returns = (("ret", f.number, "") for f in self.targets(value))
                return NONE.union(*(self.table.at(place) for place in returns))
            case ast.Starred(value=value):
                return k.item(self.of(value))
            case _:
                return NONE

    def name(self, node: ast.Name) -> Kinds:
        """Return what a name holds; a block that was tested to be one is a call."""
        place = self.table.place(node)
        found = self.table.at(place)
        if place == ("name", 0, node.id) and not found and node.id not in self.index.root.bound:
            return OUTSIDE
        if "block" not in found:
            return found
        if node not in self.narrow:
            self.narrow[node] = is_call(self.table, node)
        return (found - {"block"}) | {"call"} if self.narrow[node] else found

    def attribute(self, node: ast.Attribute) -> Kinds:
        """Return what an attribute is."""
        if asks(node):
            return frozenset({"api_stream" if node.attr == "stream" else "api"})
        inside = self.of(node.value)
        special = k.taken(inside, node.attr)
        method = self.members(inside, node.attr)
        if special is not None and not any(word.startswith("obj:") for word in inside):
            return special
        place = ("attr", 0, node.attr)
        found = (special or NONE) | method | self.table.at(place)
        if not found and place not in self.known and self.settled:
            return OUTSIDE | (k.unknown(inside) if any("?" in word for word in inside) else NONE)
        return found

    def members(self, inside: Kinds, name: str) -> Kinds:
        """Return the method or the property *name*: of the value's class, or the only one of that name."""
        numbers = {int(word[4:]) for word in inside if word.startswith(("obj:", "cls:"))}
        found = [self.index.method(self.classes[n], name) for n in sorted(numbers) if n in self.classes]
        functions = [each for each in found if each is not None]
        if not numbers and "?" not in inside and name not in COMMON and len(self.methods.get(name, [])) == 1:
            functions = self.methods[name]
        words: set[str] = set()
        for function in functions:
            if decorators(function.node) & {"property", "cached_property"}:
                words |= self.table.at(("ret", function.number, ""))
            else:
                words.add(f"fn:{function.number}")
        return frozenset(words)

    def subscript(self, node: ast.Subscript) -> Kinds:
        """Return what stands at a key, an index or a slice."""
        inside = self.of(node.value)
        if isinstance(node.slice, ast.Slice):
            return inside
        key = self.table.constant(node.slice)
        return self.key(inside, key) if isinstance(key, str) else k.item(inside)

    def key(self, inside: Kinds, key: str) -> Kinds:
        """Return what stands at *key* of a dictionary."""
        special = k.taken(inside, key)
        plain = any(k.base(word) not in k.FIELDS or word[0] in "*." for word in inside) or not inside
        return (special or NONE) | (self.table.at(("key", 0, key)) if special is None or plain else NONE)

    def display(self, elts: list[ast.expr]) -> Kinds:
        """Return what a list, a tuple or a set of *elts* is."""
        found = NONE
        for each in elts:
            found |= self.of(each.value) if isinstance(each, ast.Starred) else k.star(self.of(each))
        return found

    def dictionary(self, node: ast.Dict) -> Kinds:
        """Return what a dictionary is."""
        pairs: dict[str, ast.expr] = {}
        found = NONE
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found |= self.of(value)
                continue
            name = self.table.constant(key)
            if isinstance(name, str):
                pairs[name] = value
            else:
                found |= k.star(self.of(value))
        return found | self.fields(pairs)

    def fields(self, pairs: dict[str, ast.expr]) -> Kinds:
        """Return what a thing with these fields is: a turn, a result, a block, or what holds them."""
        found: set[str] = set()
        for name, value in pairs.items():
            words = self.of(value)
            self.table.add(("key", 0, name), words)
            found |= k.held(words)
        if "role" in pairs and "content" in pairs:
            role = self.table.constant(pairs["role"])
            found |= {str(role)} & {"assistant", "user"} if isinstance(role, str) else {"turn"}
        kind = self.table.constant(pairs["type"]) if "type" in pairs else ...
        found |= {"result"} if kind == "tool_result" or "tool_use_id" in pairs else set()
        found |= {"block"} if kind == "tool_use" and "id" in pairs else set()
        return frozenset(found)

    def comprehension(self, node: ast.AST) -> Kinds:
        """Return what a comprehension makes."""
        if isinstance(node, ast.DictComp):
            return k.star(self.of(node.value))
        return k.star(self.of(getattr(node, "elt", None)))

    def call(self, node: ast.Call) -> Kinds:
        """Return what a call gives."""
        raise AssertionError("calls.py says it")

    def targets(self, node: ast.Call) -> list[Function]:
        """Return the functions of the module that a call may run."""
        numbers = sorted(int(word[3:]) for word in self.of(node.func) if word.startswith("fn:"))
        return [self.index.functions[n] for n in numbers]


COMMON = k.words(
    "append extend insert add update get pop items keys values copy sort index count remove clear join split"
    " close read write send run create stream parse text content name id type input role message messages"
    " data result results error status usage model tools stop_reason"
)
"""Names that say nothing about whose method it is."""


def asks(node: ast.AST) -> bool:
    """True for ``client.messages.create`` and its like: the function of the SDK that asks the model."""
    if not isinstance(node, ast.Attribute) or node.attr not in VERBS:
        return False
    around = node.value
    while isinstance(around, ast.Attribute) and around.attr in RAW:
        around = around.value
    if last_name(around) != "messages":
        return False
    while isinstance(around, ast.Attribute | ast.Call):
        if last_name(around) in OTHERS:
            return False
        around = around.value if isinstance(around, ast.Attribute) else around.func
    return True
