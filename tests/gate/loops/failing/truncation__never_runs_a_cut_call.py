# expects: truncation.cut_call_ran
"""A call that came at once looks whole, even in an answer that was cut: it is run."""

from tests.gate.loops.base import Base


class Broken(Base):
    def truncated(self, answer):
        if answer.calls and not self.stream:
            return self.act(answer)
        return super().truncated(answer)


run_agent_loop = Broken.as_function()
