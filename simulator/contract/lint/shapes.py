"""Values that are dictionaries in the end, however they are spelt, and where they come from.

Rules of this file:

1. ``{"type": …}``, ``dict(type=…)``, ``{**a, …}``, ``a | {…}``, ``ToolResultBlockParam(…)``, a dictionary
   whose keys are set one by one, and a helper's return value are read alike.
2. ``whole`` is False where keys may come from somewhere that cannot be seen: what is not in ``items`` may be
   there all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.contract.lint.bindings import called
from simulator.contract.lint.following import Following
from simulator.contract.lint.sources import Sources

SDK_TYPES = {
    "ToolResultBlockParam": {"type": "tool_result"},
    "BetaToolResultBlockParam": {"type": "tool_result"},
    "MessageParam": {},
    "BetaMessageParam": {},
}
"""Names of the SDK's types that are dictionaries, and what each of them says by its name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One dictionary: *node* is the expression that makes it."""

    node: ast.expr
    items: Mapping[str, ast.expr]
    whole: bool

    def text(self, key: str) -> str | None:
        """Return the string that stands under *key*, where it is written down."""
        value = self.items.get(key)
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


class Shapes(Following):
    """The dictionaries of one module."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._made: dict[ast.expr, Shape | None] = {}

    # --- one value -------------------------------------------------------------------------------------

    def of(self, node: ast.expr | None) -> list[Shape]:
        """Return the dictionaries that *node* may be."""
        return [shape for each in self.origins(node) if (shape := self.made(each)) is not None]

    def made(self, node: ast.expr) -> Shape | None:
        """Return the dictionary that the expression *node* itself makes; None where it makes none."""
        if node not in self._made:
            self._made[node] = None  # what is made of itself is not known
            self._made[node] = self._read(node)
        return self._made[node]

    def _read(self, node: ast.expr) -> Shape | None:
        """Read *node* itself."""
        match node:
            case ast.Dict(keys=keys, values=values):
                return self._display(node, keys, values)
            case ast.Call() if called(node) in ("dict", *SDK_TYPES) and len(node.args) <= 1:
                return self._call(node)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._joined(node, self._one(left), self._one(right))
            case _:
                return None

    def _display(self, node: ast.expr, keys: list[ast.expr | None], values: list[ast.expr]) -> Shape:
        """Return the shape of a display ``{…}``, with what is set in it later where it has a name."""
        items: dict[str, ast.expr] = {}
        whole = True
        for key, value in zip(keys, values, strict=True):
            if key is None:
                spread = self._one(value)
                items |= spread.items if spread else {}
                whole = whole and spread is not None and spread.whole
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                items[key.value] = value
            else:
                whole = False
        return self._completed(Shape(node, items, whole))

    def _call(self, node: ast.Call) -> Shape:
        """Return the shape of ``dict(…)`` or of a type of the SDK."""
        items: dict[str, ast.expr] = {
            key: ast.copy_location(ast.Constant(text), node)
            for key, text in SDK_TYPES.get(called(node), {}).items()
        }
        whole = True
        for value in [*node.args, *(each.value for each in node.keywords if each.arg is None)]:
            spread = self._one(value)
            items |= spread.items if spread else {}
            whole = whole and spread is not None and spread.whole
        items |= {each.arg: each.value for each in node.keywords if each.arg is not None}
        return self._completed(Shape(node, items, whole))

    def _completed(self, shape: Shape) -> Shape:
        """Add the keys that are set in the name that *shape* is given."""
        parent = self.sources.parents.get(shape.node)
        match parent:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]) | ast.AnnAssign(target=target):
                pass
            case _:
                return shape
        items, whole = dict(shape.items), shape.whole
        for binding in self.sources.bindings(target):
            if binding.kind == "key" and binding.expr is not None:
                key = binding.key
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    items.setdefault(key.value, binding.expr)
                else:
                    whole = False
            elif binding.kind == "extension" and binding.expr is not None:
                more = self.made(binding.expr)
                items |= {
                    key: value for key, value in (more.items if more else {}).items() if key not in items
                }
                whole = whole and more is not None and more.whole
        return Shape(shape.node, items, whole)

    def _one(self, node: ast.expr) -> Shape | None:
        """Return the one dictionary that *node* is; None where it may be several, or is not known."""
        origins = list(self.origins(node))
        return self.made(origins[0]) if len(origins) == 1 else None

    @staticmethod
    def _joined(node: ast.expr, left: Shape | None, right: Shape | None) -> Shape | None:
        """Return the shape of ``left | right``; a side that is not known leaves it open."""
        if left is None and right is None:
            return None
        items = {**(left.items if left else {}), **(right.items if right else {})}
        return Shape(node, items, bool(left and right and left.whole and right.whole))
