# expects: continuation.nameless
"""Has one name for every kind of too much: the check that never agrees is a budget, too."""

from tests.gate.loops.base import Base


class Broken(Base):
    def checked(self, answer):
        if self.rounds >= self.ROUNDS:
            return self.out_of("max_iterations", self.max_iterations, self.requests)
        return super().checked(answer)


run_agent_loop = Broken.as_function()
