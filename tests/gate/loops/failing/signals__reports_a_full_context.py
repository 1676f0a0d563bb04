# expects: signals.full_as_answer
"""When the window is full, what is there is the answer: there cannot be more of it."""

from tests.gate.loops.base import Base


class Broken(Base):
    def window_exceeded(self, answer):
        return answer.text


run_agent_loop = Broken.as_function()
