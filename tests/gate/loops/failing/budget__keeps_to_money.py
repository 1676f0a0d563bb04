# expects: budget.over
"""Keeps its accounts in whole dollars, so nothing is spent before the first is full."""

from tests.gate.loops.base import Base


class Broken(Base):
    def cost(self):
        return int(super().cost())


run_agent_loop = Broken.as_function()
