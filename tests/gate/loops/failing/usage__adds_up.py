# expects: usage.wrong
"""What a refused answer used is not added: there was nothing in it, it thinks."""

from tests.gate.loops.base import Base


class Broken(Base):
    def count(self, answer):
        so_far = dict(self.usage)
        super().count(answer)
        if answer.stop_reason == "refusal":
            self.usage = so_far


run_agent_loop = Broken.as_function()
