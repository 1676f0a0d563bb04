# expects: deadlines.went_on
"""Asks whether it was cancelled once, before it begins."""

from tests.gate.loops.base import Base


class Broken(Base):
    def look_whether_cancelled(self):
        if self.requests == 0:
            super().look_whether_cancelled()

    def run_calls(self, calls):
        return [self.run_one(call) for call in calls]


run_agent_loop = Broken.as_function()
