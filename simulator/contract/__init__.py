"""A loop declared before it is written: the contract, its compiler, and a linter for loops of any kind.

Importing this package is cheap: each public name is imported from its file when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.contract.compiler import loop_source
    from simulator.contract.model import Contract
    from simulator.contract.problems import ContractError, Problem, problems_as_dicts
    from simulator.contract.reading import read
    from simulator.contract.reporting import report

_FILES = {
    "Contract": "simulator.contract.model",
    "ContractError": "simulator.contract.problems",
    "Problem": "simulator.contract.problems",
    "loop_source": "simulator.contract.compiler",
    "problems_as_dicts": "simulator.contract.problems",
    "read": "simulator.contract.reading",
    "report": "simulator.contract.reporting",
}

__all__ = ["Contract", "ContractError", "Problem", "loop_source", "problems_as_dicts", "read", "report"]


def __getattr__(name: str) -> object:
    if name not in _FILES:
        known = ", ".join(__all__)
        raise AttributeError(f"module 'simulator.contract' has no attribute {name!r}; it has: {known}")
    return getattr(import_module(_FILES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
