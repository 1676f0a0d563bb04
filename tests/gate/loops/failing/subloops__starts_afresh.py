# expects: subloops.not_fresh
"""The loop below gets the conversation so far as a background to its task."""

from tests.gate.loops.base import Base


class Broken(Base):
    def child(self, task, settings):
        child = super().child(task, settings)
        child.messages = [*self.messages[:-1], *child.messages]
        child.first = len(child.messages)
        return child


run_agent_loop = Broken.as_function()
