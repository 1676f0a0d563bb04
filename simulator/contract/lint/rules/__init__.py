"""Every rule of the linter, in the order of its id.

A rule is a function from a module that was read to its findings; its sentences stand in the catalogue
``lint`` under its id: ``title``, ``saw``, ``rule``, ``remedy``. An id never changes its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding

Check = Callable[[Module], Iterator[Finding]]

RULES: Mapping[str, tuple[str, Check]] = {}
"""Id -> slug and check: ``"AL01": ("prose-control", control.prose)``."""
