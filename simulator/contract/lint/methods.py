"""What functions give that do not stand in the module: builtins, methods of lists and of text, the SDK's."""

from __future__ import annotations

import ast

from simulator.contract.lint import kinds as k
from simulator.contract.lint.expressions import Expressions
from simulator.contract.lint.kinds import NONE, Kinds
from simulator.contract.lint.narrowing import TOOL_USE, last_name
from simulator.contract.lint.reading import Function
from simulator.contract.lint.table import Location

KEEPS = k.words(
    "model_dump to_dict dict copy model_copy get_final_message until_done parse deepcopy __deepcopy__"
)
"""Methods that give the same thing in another form."""
PASSES = k.words(
    "list tuple sorted reversed iter set frozenset copy deepcopy cast wait_for shield create_task"
    " ensure_future run_until_complete asyncio_run deque result get_result chain from_iterable"
    " as_completed list_reverseiterator aclosing closing"
)
"""Functions that give back what is in their arguments."""
TESTS = k.words(
    "len any all bool isinstance sum startswith endswith find rfind isspace isalpha isdigit index count"
    " search match fullmatch issubset fnmatch is_integer"
)
"""Functions that say something about their arguments."""
CHANGES = k.words(
    "strip lstrip rstrip lower upper casefold title replace removeprefix removesuffix format join"
    " capitalize expandtabs translate encode decode sub group str repr get_final_text"
)
"""Functions from text to text."""
SPLITS = frozenset(
    {"split", "splitlines", "rsplit", "partition", "rpartition", "findall", "finditer", "groups"}
)
PUTS = frozenset({"append", "add", "appendleft", "insert", "put", "put_nowait", "setdefault", "__setitem__"})
MERGES = frozenset({"extend", "update", "extendleft", "__iadd__"})
TAKES = frozenset({"pop", "popleft", "popitem", "get", "get_nowait", "setdefault", "next", "min", "max"})


class Methods(Expressions):
    """Words of calls that lead out of the module."""

    def elsewhere(self, node: ast.Call, function: Kinds) -> Kinds:
        """Return what a call gives that runs no function of the module itself."""
        receiver = self.of(node.func.value) if isinstance(node.func, ast.Attribute) else NONE
        name = last_name(node.func)
        plain = [self.of(arg.value) if isinstance(arg, ast.Starred) else self.of(arg) for arg in node.args]
        given = NONE.union(*plain, *(self.of(each.value) for each in node.keywords))
        through = self.through(node, name)
        if through is not None:
            return through
        if isinstance(node.func, ast.Attribute):
            found = self.method(node, receiver, name, given)
            if found is not None:
                return found
        return self.builtin(node, name, given, receiver)

    def through(self, node: ast.Call, name: str) -> Kinds | None:
        """Return what a function gives that is handed to another (``to_thread(f, x)``, ``map(f, xs)``)."""
        for place, arg in enumerate(node.args):
            words = self.of(arg)
            if words & {"api", "api_stream"}:
                same = frozenset({"api"})
                return same if name == "partial" else frozenset({"response"})
            functions = [self.index.functions[int(w[3:])] for w in words if w.startswith("fn:")]
            if not functions or isinstance(arg, ast.Starred):
                continue
            if name == "partial":
                for each in functions:
                    self.bound(each, node.args[place + 1 :], node.keywords, False)
                return words
            if name == "filter":
                return self.filtered(node)
            many = name in ("map", "starmap", "imap", "map_async")
            found = [self.bound(each, node.args[place + 1 :], node.keywords, many) for each in functions]
            return k.star(NONE.union(*found)) if many else NONE.union(*found)
        return None

    def bound(
        self, function: Function, args: list[ast.expr], keywords: list[ast.keyword], many: bool
    ) -> Kinds:
        """Bind arguments (for *many*, what is in them) to a function that somebody else calls."""
        skip = 1 if function.first is not None else 0
        for param, arg in zip(function.params[skip:], args, strict=False):
            place: Location = ("name", function.number, param)
            self.table.add(place, k.item(self.of(arg)) if many else self.of(arg))
        for each in keywords:
            if each.arg in function.params:
                self.table.add(("name", function.number, str(each.arg)), self.of(each.value))
        return self.returned(function)

    def returned(self, function: Function) -> Kinds:
        """Return what a call of *function* gives."""
        raise AssertionError("values.py says it")

    def filtered(self, node: ast.Call) -> Kinds:
        """Return what ``filter(function, blocks)`` keeps."""
        function, *rest = node.args
        words = self.all_of(rest)
        for each in ast.walk(function):
            if not isinstance(each, ast.Compare) or not isinstance(each.ops[0], ast.Eq):
                continue
            if TOOL_USE in {self.table.constant(side) for side in (each.left, *each.comparators)}:
                words = frozenset("*call" if word == "*block" else word for word in words)
        for lambda_ in (f for f in self.index.functions if f.node is function):
            for param in lambda_.params:
                self.table.add(("name", lambda_.number, param), k.item(words))
        return words

    def method(self, node: ast.Call, receiver: Kinds, name: str, given: Kinds) -> Kinds | None:
        """Return what a method of a container, of text or of the SDK gives; None for any other."""
        assert isinstance(node.func, ast.Attribute)
        special = bool(k.bases(receiver) & k.FIELDS.keys())
        if name == "get" and node.args and isinstance(self.table.constant(node.args[0]), str):
            return self.key(receiver, str(self.table.constant(node.args[0]))) | self.all_of(node.args[1:])
        if name in ("get_final_message", "until_done") and "stream" in receiver:
            return frozenset({"response"})
        if name == "get_final_text" and "stream" in receiver:
            return frozenset({"text"})
        if name in PUTS:
            self.put_into(node.func.value, k.star(given))
            return k.item(receiver) if name == "setdefault" else NONE
        if name in MERGES:
            self.put_into(node.func.value, given)
            return NONE
        if name == "items":
            return k.star(k.star(k.item(receiver)))
        if name == "values":
            return k.star(k.item(receiver))
        if name in KEEPS and (special or not given):
            return receiver - {"?"} or NONE
        if name in TAKES:
            return k.item(receiver) | given
        return None

    def put_into(self, node: ast.expr, words: Kinds) -> None:
        """Put *words* into a list; what holds the list has them as well."""
        self.table.mutate(self.table.place(node), words)
        while isinstance(node, ast.Subscript | ast.Attribute):
            node, words = node.value, k.held(words)
            self.table.mutate(self.table.place(node), words)

    def builtin(self, node: ast.Call, name: str, given: Kinds, receiver: Kinds) -> Kinds:
        """Return what a function gives that is known by its name; of others, only that they gave it."""
        every = given | (receiver - {"?"})
        if name in CHANGES or name in SPLITS:
            return self.texts(name, every)
        if name in TESTS:
            return k.derived(every - {"*text"} if name in ("len", "index", "count") else every)
        if name in ("next", "min", "max"):
            return k.item(given)
        if name == "gather":
            lists = (
                k.item(self.of(a.value)) if isinstance(a, ast.Starred) else self.of(a) for a in node.args
            )
            return k.star(NONE.union(*lists))
        if name in ("enumerate", "zip", "zip_longest", "batched"):
            return k.star(k.star(k.item(given)))
        if name in ("filter", "islice", "takewhile", "dropwhile"):
            return given
        if name == "getattr" and len(node.args) > 1 and isinstance(self.table.constant(node.args[1]), str):
            key = str(self.table.constant(node.args[1]))
            found = k.taken(self.of(node.args[0]), key)
            return (self.table.at(("attr", 0, key)) if found is None else found) | self.all_of(node.args[2:])
        if name in PASSES or (
            name == "run" and isinstance(node.func, ast.Attribute) and not receiver - {"?"}
        ):
            return (given | receiver) - {"?"} or NONE
        return self.made(node, name, every)

    def made(self, node: ast.Call, name: str, every: Kinds) -> Kinds:
        """Return what a constructor from elsewhere makes (``MessageParam(...)``), or an unknown function."""
        pairs = {each.arg: each.value for each in node.keywords if each.arg is not None}
        if name == "replace":
            for field, value in pairs.items():
                self.table.add(("attr", 0, field), self.of(value))
            return every | k.held(every)
        if name == "dict":
            spread = self.all_of(each.value for each in node.keywords if each.arg is None)
            return spread | self.all_of(node.args) | self.fields(pairs)
        if not name[:1].isupper():
            return k.unknown(every) if self.settled else NONE
        if "ToolResultBlock" in name:
            return self.fields(pairs) | k.held(every) | {"result"}
        return self.fields(pairs) | k.held(every) | {"?"}

    def texts(self, name: str, every: Kinds) -> Kinds:
        """Return what a function from text to text gives; text of a whole answer is the answer as well."""
        whole = k.bases(every) & {"response", "block", "call"}
        found = k.derived(every)
        if "text" in k.bases(every) and not any("?" in word and "text" in word for word in every):
            found |= {"*text"} if name in SPLITS else {"text"}
        elif whole and name in ("str", "repr"):
            found |= {"text"}
        return found
