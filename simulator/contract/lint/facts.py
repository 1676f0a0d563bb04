"""What a module says about its agent loops, read from its syntax tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Module:
    """One source file that was parsed."""

    source: str
    tree: ast.Module
    name: str
