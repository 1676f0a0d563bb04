# expects: signals.empty_resent
"""Takes an empty answer for a slip of the line, and asks the very same again."""

from tests.gate.loops.base import Base


class Broken(Base):
    def empty(self, answer):
        if self.nudges >= self.NUDGES:
            return super().empty(answer)
        self.nudges += 1
        return None


run_agent_loop = Broken.as_function()
