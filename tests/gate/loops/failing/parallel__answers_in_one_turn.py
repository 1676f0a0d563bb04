# expects: parallel.split
"""A user message for each result, as it comes in."""

from tests.gate.loops.base import Base


class Broken(Base):
    def append_results(self, results):
        for result in results:
            super().append_results([result])


run_agent_loop = Broken.as_function()
