# expects: signals.pause_with_words
"""Sends the paused turn back and adds a word, so that the model may know what is wanted."""

from tests.gate.loops.base import Base


class Broken(Base):
    def paused(self, answer):
        super().paused(answer)
        self.tell("Please continue.")


run_agent_loop = Broken.as_function()
