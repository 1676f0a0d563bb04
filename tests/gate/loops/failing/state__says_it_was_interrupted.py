# expects: state.quiet
"""At Ctrl-C, comes back with the last answer as if that had been the end."""

from tests.gate.loops.base import Base


class Broken(Base):
    def run(self):
        try:
            return super().run()
        except KeyboardInterrupt:
            return self.last.response if self.last else None


run_agent_loop = Broken.as_function()
