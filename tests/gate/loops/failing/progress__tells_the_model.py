# expects: progress.untold
"""Counts silently: the run ends at the third call, and nobody had warned the model."""

from tests.gate.loops.base import Base


class Broken(Base):
    def observed(self, result):
        self.record("repeated", result=result["content"])


run_agent_loop = Broken.as_function()
