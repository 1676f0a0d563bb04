# expects: ending.not_answer
"""Hands back the first paragraph: the rest, it thinks, is decoration."""

from tests.gate.loops.base import Base


class Broken(Base):
    def finish(self, answer):
        super().finish(answer)
        return answer.text.split("\n\n")[0]


run_agent_loop = Broken.as_function()
