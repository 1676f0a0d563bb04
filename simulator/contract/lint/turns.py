"""The turns of a conversation that a module makes, and the tool results that are put into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from simulator.contract.lint.bindings import called
from simulator.contract.lint.reading import Index
from simulator.contract.lint.shapes import SDK_TYPES, Shape, Shapes
from simulator.contract.lint.sources import Sources


@dataclass(frozen=True, slots=True)
class Turn:
    """One dictionary with ``role`` and ``content``, and the tool results that come into its content."""

    shape: Shape
    role: ast.expr
    results: tuple[Shape, ...]


class Turns:
    """The turns of one module."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.shapes = Shapes(sources)

    @classmethod
    def of(cls, index: Index) -> Turns:
        """Return the turns of the module that *index* is of."""
        return cls(Sources(index))

    @cached_property
    def all(self) -> tuple[Turn, ...]:
        """Every turn, in the order of the source."""
        found = []
        for node in self.sources.parents:
            made = isinstance(node, ast.Dict) or called(node) in ("dict", *SDK_TYPES)
            shape = self.shapes.made(node) if made and isinstance(node, ast.expr) else None
            if shape is not None and "role" in shape.items and "content" in shape.items:
                results = tuple(self.results_in(shape.items["content"]))
                found.append(Turn(shape, shape.items["role"], results))
        return tuple(sorted(found, key=lambda turn: (turn.shape.node.lineno, turn.shape.node.col_offset)))

    @cached_property
    def results(self) -> tuple[Shape, ...]:
        """Every tool result that comes into some turn, once."""
        unique = {shape.node: shape for turn in self.all for shape in turn.results}
        return tuple(sorted(unique.values(), key=lambda shape: (shape.node.lineno, shape.node.col_offset)))

    def results_in(self, content: ast.expr) -> Iterator[Shape]:
        """Yield the tool results in *content*, a list of blocks."""
        seen = set()
        for item in self.shapes.elements(content):
            for shape in self.shapes.of(item):
                if shape.text("type") == "tool_result" and shape.node not in seen:
                    seen.add(shape.node)
                    yield shape
