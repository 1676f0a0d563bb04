"""What the ways through a loop are, worked out once for all rules."""

from __future__ import annotations

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Edit, Finding, Place
from simulator.contract.lint.happenings import Happenings
from simulator.contract.lint.loops import AgentLoop
from simulator.contract.lint.paths import Paths
from simulator.contract.lint.truths import World
from simulator.contract.lint.ways import TooLong


def happenings(module: Module, loop: AgentLoop) -> Happenings:
    """Return what happens at the nodes of *loop*."""
    found = module.memory.get((loop, "happenings"))
    if not isinstance(found, Happenings):
        found = module.memory[loop, "happenings"] = Happenings(module, loop)
    return found


def ways(module: Module, loop: AgentLoop, world: World) -> Paths | None:
    """Return the ways through *loop* in *world*; None where there are too many, or too deep ones."""
    if (loop, world) not in module.memory:
        try:
            module.memory[loop, world] = Paths(module, loop, world, happenings(module, loop)).follow()
        except (RecursionError, TooLong):
            module.memory[loop, world] = None
    found = module.memory[loop, world]
    return found if isinstance(found, Paths) else None


def finding(
    module: Module, loop: AgentLoop, rule: str, place: Place, fix: tuple[Edit, ...] = (), **facts: str
) -> Finding:
    """Return a finding about *loop*."""
    return Finding(rule, place, loop.function.name, facts, fix)
