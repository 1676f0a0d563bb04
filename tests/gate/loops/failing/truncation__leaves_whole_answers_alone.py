# expects: truncation.false_alarm
"""Looks at the words, too, for an answer that is not whole: some speak of incomplete work."""

from tests.gate.loops.base import Base


class Broken(Base):
    def finish(self, answer):
        if "incomplete" in answer.text.lower():
            return self.truncated(answer)
        return super().finish(answer)


run_agent_loop = Broken.as_function()
