# expects: budget.over
"""Counts the seconds that the model takes; what its tools take is not on the clock."""

import time

from tests.gate.loops.base import Base


class Broken(Base):
    spent_asking = 0.0

    def send(self, body):
        began = time.monotonic()
        try:
            return super().send(body)
        finally:
            self.spent_asking += time.monotonic() - began

    def limits(self):
        seconds = ("max_seconds", self.max_seconds, self.spent_asking)
        return [seconds if limit[0] == seconds[0] else limit for limit in super().limits()]


run_agent_loop = Broken.as_function()
