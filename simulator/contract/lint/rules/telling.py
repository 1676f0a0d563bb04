"""Findings and edits, in a word."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding

LONGEST = 60
"""Characters of source that a sentence quotes."""


def brief(module: Module, node: ast.AST) -> str:
    """Return the source of *node* as a sentence may quote it."""
    text = module.text(node) or ast.unparse(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"


def found(
    module: Module,
    rule: str,
    node: ast.AST,
    facts: Mapping[str, str] | None = None,
    fix: tuple[Edit, ...] = (),
) -> Finding:
    """Return the finding of *rule* at *node*."""
    return Finding(rule, module.place(node), module.function(node).name, facts or {}, fix)


def rewritten(module: Module, node: ast.AST, text: str) -> Edit:
    """Return the edit that writes *text* in the place of *node*."""
    return Edit(module.place(node), text)
