# expects: order.result_first
"""From the second round on, runs the tools and files their results before it files the answer."""

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        super().act(answer)
        if self.requests > 1:
            self.messages[-2:] = reversed(self.messages[-2:])


run_agent_loop = Broken.as_function()
