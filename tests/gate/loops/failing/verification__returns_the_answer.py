# expects: verification.not_the_answer
"""Remembers the first answer that the model called done, and hands that back in the end."""

from tests.gate.loops.base import Base


class Broken(Base):
    claim = None

    def checked(self, answer):
        self.claim = self.claim or answer
        return super().checked(answer)

    def finish(self, answer):
        super().finish(answer)
        return (self.claim or answer).response


run_agent_loop = Broken.as_function()
