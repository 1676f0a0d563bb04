# expects: truncation.kept_asking
"""Asks for the rest of a cut answer, and for the rest of the rest, twelve times over."""

from tests.gate.loops.base import Base


class Broken(Base):
    MORE = 12

    def truncated(self, answer):
        if self.requests > self.MORE:
            return super().truncated(answer)
        self.kept_without_calls(answer)
        self.tell("Your last answer was cut off. Go on exactly where it ends, and do not begin anew.")
        return None


run_agent_loop = Broken.as_function()
