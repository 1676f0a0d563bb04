# expects: verification.as_success
"""After two more rounds the check has had its say, and the answer passes."""

from tests.gate.loops.base import Base


class Broken(Base):
    def checked(self, answer):
        return self.finish(answer) if self.rounds >= self.ROUNDS else super().checked(answer)


run_agent_loop = Broken.as_function()
