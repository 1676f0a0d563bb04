# expects: state.unlawful
"""Hands the conversation out at Ctrl-C as it stands, calls without results in it."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def run(self):
        try:
            return super().run()
        except KeyboardInterrupt:
            stop = exits.Cancelled("interrupted by the user")
            stop.messages = self.messages
            raise stop from None


run_agent_loop = Broken.as_function()
