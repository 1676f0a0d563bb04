# expects: signals.paused_end_unsaid
"""Has enough of pauses at some point, and hands back the paused turn like an answer."""

from tests.gate.loops.base import Base


class Broken(Base):
    def paused(self, answer):
        if self.pauses >= self.PAUSES:
            return answer.text
        return super().paused(answer)


run_agent_loop = Broken.as_function()
