# expects: signals.sequence_went_on
"""Sees an answer that was stopped, and has the model go on."""

from tests.gate.loops.base import Base


class Broken(Base):
    def decide(self, answer):
        if answer.stop_reason == "stop_sequence":
            self.said(answer)
            self.tell("You were stopped. Please go on.")
            return None
        return super().decide(answer)


run_agent_loop = Broken.as_function()
