# expects: budget.thrown_away
"""Looks at its limits once more when the answer is there, and will not have it."""

from tests.gate.loops.base import Base


class Broken(Base):
    def finish(self, answer):
        self.guard()
        return super().finish(answer)


run_agent_loop = Broken.as_function()
