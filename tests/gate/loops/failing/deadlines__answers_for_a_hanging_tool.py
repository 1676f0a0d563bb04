# expects: deadlines.as_success
"""Goes on without a tool that is late, and tells the model there was no output."""

from tests.gate.loops.base import Base


class Broken(Base):
    def in_time(self, call, outcome, seconds):
        if not outcome and not (self.cancelled is not None and self.cancelled()):
            return None
        return super().in_time(call, outcome, seconds)


run_agent_loop = Broken.as_function()
