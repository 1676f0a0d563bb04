"""Which loops of a module are agent loops, and which functions each of them consists of.

Rules of this file:

1. An agent loop asks the Messages API, again and again, and looks at the tool_use blocks of the answers. The
   innermost loop of that kind is meant: a loop over tasks around it is not one, nor is one over tries, or
   over the blocks of one answer.
2. A recursion is a loop: of the functions that call each other in a circle, the one that is called from
   outside stands for it.
3. A loop that reads from a person each time round is a chat, and none of ours.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from simulator.contract.lint import kinds as k
from simulator.contract.lint.kinds import Kinds
from simulator.contract.lint.narrowing import last_name
from simulator.contract.lint.reading import Callable, Function, Index, Looping, Shared
from simulator.contract.lint.values import Values

PEOPLE = frozenset(
    {"input", "prompt", "ask_user", "readline", "prompt_async", "get_user_input", "user_input"}
)
"""Functions by which a person is asked."""
INSIDE = frozenset(
    {"*block", "*call", "stream", "event", "*result", "*event", "*text", "*user", "*assistant"}
)
"""What the loops over one answer go over."""


@dataclass(eq=False, slots=True)
class AgentLoop:
    """A loop that asks the model and does what it says."""

    function: Function
    """Where the loop stands."""
    node: Looping | ast.FunctionDef | ast.AsyncFunctionDef
    """The ``for`` or ``while``; of a recursion, the function."""
    asks: tuple[ast.Call, ...]
    """The calls that ask the Messages API, wherever they stand."""
    helpers: tuple[Function, ...]
    """The functions of the module that run within it."""
    nodes: tuple[ast.AST, ...]
    """Every node that runs within it: its own and those of its helpers."""

    @property
    def recursive(self) -> bool:
        """True for a recursion."""
        return not isinstance(self.node, Looping)


class Loops:
    """Finds them."""

    def __init__(self, index: Index, values: Values) -> None:
        self.index, self.values = index, values
        self.asking = [n for n in index.parents if isinstance(n, ast.Call) and self.is_ask(n)]
        self.called = {f: self.callees(f.nodes) for f in index.functions} if self.asking else {}
        self.beneath: dict[ast.AST, list[ast.AST]] = {}
        self.found = self._found() if self.asking else []

    def is_ask(self, node: ast.Call) -> bool:
        """True for a call that asks the model, by itself or through a function it hands it to."""
        if self.values.answer_of(node, self.values.of(node.func)) is not None:
            return True
        if last_name(node.func) == "partial":
            return False
        return any(self.values.of(arg) & {"api", "api_stream"} for arg in node.args)

    def callees(self, nodes: Iterable[ast.AST]) -> list[Function]:
        """Return the functions of the module that *nodes* call or hand on."""
        found: dict[Function, None] = {}
        for node in nodes:
            if isinstance(node, ast.Call):
                for each in (node.func, *node.args):
                    for word in self.values.of(each):
                        if word.startswith("fn:"):
                            found[self.index.functions[int(word[3:])]] = None
                        elif word.startswith("cls:") and each is node.func:
                            init = self.values.classes[int(word[4:])].methods.get("__init__")
                            found |= {init: None} if init else {}
            elif isinstance(node, ast.Lambda):
                found[self.index.by_node[node]] = None
        return list(found)

    def reach(self, functions: Iterable[Function]) -> list[Function]:
        """Return *functions* and all that they lead to."""
        found: dict[Function, None] = {}
        todo = list(functions)
        while todo:
            each = todo.pop(0)
            if each not in found:
                found[each] = None
                todo += self.called.get(each, [])
        return list(found)

    def below(self, node: ast.AST) -> list[ast.AST]:
        """Return the nodes in a loop, those of functions defined in it left out."""
        if node not in self.beneath:
            nodes: list[ast.AST] = []
            todo = [node]
            while todo:
                for child in ast.iter_child_nodes(todo.pop()):
                    if not isinstance(child, Shared):
                        nodes.append(child)
                        if not isinstance(child, Callable):
                            todo.append(child)
            self.beneath[node] = nodes
        return self.beneath[node]

    # --- which ones ------------------------------------------------------------------------------------

    def _found(self) -> list[AgentLoop]:
        candidates = [
            self._loop(n) for n in self.index.parents if isinstance(n, Looping) and not self._inner(n)
        ]
        candidates += [self._recursion(function) for function in self._circles()]
        fitting = [each for each in candidates if each.asks and self._of_an_agent(each)]
        loops = {each.node for each in fitting if not each.recursive}
        fitting = [each for each in fitting if not (each.recursive and loops.intersection(each.nodes))]
        nodes = {each.node for each in fitting}
        innermost = [each for each in fitting if not self._around(each, nodes)]
        return sorted(innermost, key=lambda each: (each.node.lineno, each.node.col_offset))

    def _around(self, loop: AgentLoop, nodes: set[Looping | ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
        """True for a loop within which another one stands."""
        if loop.recursive:
            return False
        return any(each in nodes and each is not loop.node for each in loop.nodes) or any(
            each.node in nodes and each is not loop.function for each in loop.helpers
        )

    def _loop(self, node: Looping) -> AgentLoop:
        own = self.below(node)
        return self._made(self.index.owner(node), node, own, self.reach(self.callees(own)))

    def _recursion(self, function: Function) -> AgentLoop:
        assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
        return self._made(function, function.node, [], self.reach([function]))

    def _made(
        self,
        function: Function,
        node: Looping | ast.FunctionDef | ast.AsyncFunctionDef,
        own: list[ast.AST],
        helpers: list[Function],
    ) -> AgentLoop:
        inside = dict.fromkeys(own)
        for each in helpers:
            inside |= dict.fromkeys(each.nodes)
        asks = tuple(each for each in self.asking if each in inside)
        return AgentLoop(function, node, asks, tuple(helpers), tuple(inside))

    def _inner(self, node: Looping) -> bool:
        """True for a loop over the parts of one answer."""
        return not isinstance(node, ast.While) and bool(self.values.of(node.iter) & INSIDE)

    def _of_an_agent(self, loop: AgentLoop) -> bool:
        if any(isinstance(n, ast.Call) and last_name(n.func) in PEOPLE for n in loop.nodes):
            return False
        uses = self._uses(loop.nodes)
        looks = self._looks(loop.nodes)
        offers = any(self._offers(ask) for ask in loop.asks)
        if loop.recursive:
            return uses and (looks or self._reads(loop.nodes))
        looks = looks or (self._hands_back(loop.nodes) and self._decides_by_text(loop.nodes))
        return uses or (looks and offers and self._goes_on(loop))

    def _offers(self, ask: ast.Call) -> bool:
        """True for a request with tools, or one whose parameters stand elsewhere."""
        elsewhere = ("key", 0, "tools") in self.values.table.words
        return any(each.arg == "tools" or (each.arg is None and elsewhere) for each in ask.keywords)

    def _uses(self, nodes: Iterable[ast.AST]) -> bool:
        """True where tools are run or results are made."""
        for node in nodes:
            if isinstance(node, ast.Dict | ast.Call) and "result" in self.values.of(node):
                return True
            if isinstance(node, ast.Attribute | ast.Subscript) and "call_input" in self.values.of(node):
                return True
        return False

    def _looks(self, nodes: Iterable[ast.AST]) -> bool:
        """True where something is decided by the signal or by whether there are calls."""
        for node in nodes:
            if isinstance(node, ast.Compare | ast.Match | ast.If | ast.While | ast.IfExp):
                test = getattr(node, "test", getattr(node, "subject", node))
                words: Kinds = self.values.of(test)
                if words & {"signal", "~signal", "*call", "~call", "*result"}:
                    return True
        return False

    def _reads(self, nodes: Iterable[ast.AST]) -> bool:
        """True where results are made, and something is decided by the text of the answer."""
        makes = any(
            isinstance(node, ast.Dict | ast.Call) and "result" in self.values.of(node) for node in nodes
        )
        return makes and self._decides_by_text(nodes)

    def _decides_by_text(self, nodes: Iterable[ast.AST]) -> bool:
        tests = (node.test for node in nodes if isinstance(node, ast.If | ast.While))
        return any(self.values.of(test) & {"text", "~text"} for test in tests)

    def _hands_back(self, nodes: Iterable[ast.AST]) -> bool:
        """True where a turn of the user holds what somebody else made of the blocks of the answer."""
        return any(
            isinstance(node, ast.Dict) and "user" in words and k.handed(words)
            for node in nodes
            if (words := self.values.of(node))
        )

    def _goes_on(self, loop: AgentLoop) -> bool:
        """True where the conversation grows: a turn of the assistant is made."""
        return any(
            isinstance(n, ast.Dict | ast.Call) and "assistant" in self.values.of(n) for n in loop.nodes
        )

    def _circles(self) -> list[Function]:
        """Return one function for each circle of calls."""
        reached = {f: set(self.reach(self.called[f])) for f in self.index.functions}
        found: list[Function] = []
        done: set[Function] = set()
        for function in self.index.functions:
            if function in done or function not in reached[function]:
                continue
            circle = [f for f in self.index.functions if f in reached[function] and function in reached[f]]
            done |= set(circle)
            outside = [f for f in self.index.functions if f not in circle]
            entries = [each for each in circle if any(each in self.called[f] for f in outside)]
            named = [f for f in entries or circle if not isinstance(f.node, ast.Lambda | ast.Module)]
            found += named[:1]
        return found
