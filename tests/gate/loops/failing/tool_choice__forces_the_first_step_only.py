# expects: tool_choice.still_forced
"""What the caller chose for the first step goes with every request."""

from tests.gate.loops.base import Base


class Broken(Base):
    def choice(self):
        return self.tool_choice


run_agent_loop = Broken.as_function()
