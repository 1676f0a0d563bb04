# expects: verification.problem_untold
"""Sends the model back to work and keeps to itself what the check has found."""

from tests.gate.loops.base import Base


class Broken(Base):
    def tell(self, text):
        super().tell("This is not done yet. Please look at it again." if "A check found" in text else text)


run_agent_loop = Broken.as_function()
