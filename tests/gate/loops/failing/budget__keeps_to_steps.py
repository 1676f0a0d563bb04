# expects: budget.over
"""A limit of 0 looks like none: the default takes its place."""

from tests.gate.loops.base import Base


class Broken(Base):
    def limits(self):
        self.max_iterations = self.max_iterations or 20
        return super().limits()


run_agent_loop = Broken.as_function()
