# expects: signals.unknown_as_success
"""What it does not know must be some kind of end."""

from tests.gate.loops.base import Base


class Broken(Base):
    def unhandled(self, answer):
        return self.finish(answer)


run_agent_loop = Broken.as_function()
