# expects: ending.left_early
"""Believes the model that says it is done, whatever it asks for in the same breath."""

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        if "step one is done" in answer.text.lower():
            return self.finish(answer)
        return super().act(answer)


run_agent_loop = Broken.as_function()
