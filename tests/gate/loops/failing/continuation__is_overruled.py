# expects: continuation.without_end
"""A tool that runs is progress, so the rounds are counted anew after each."""

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        self.rounds = 0
        return super().act(answer)


run_agent_loop = Broken.as_function()
