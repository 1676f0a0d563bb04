# expects: subloops.leaked
"""It files the turns of the loop below in its own conversation, for the record."""

from tests.gate.loops.base import Base


class Broken(Base):
    def charge(self, child):
        super().charge(child)
        self.messages[-1:-1] = child.messages


run_agent_loop = Broken.as_function()
