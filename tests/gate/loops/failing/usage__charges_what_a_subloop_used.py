# expects: usage.subloop_free
"""The requests of a loop below are charged, its tokens are not."""

from tests.gate.loops.base import Base


class Broken(Base):
    def charge(self, child):
        self.requests += child.requests


run_agent_loop = Broken.as_function()
