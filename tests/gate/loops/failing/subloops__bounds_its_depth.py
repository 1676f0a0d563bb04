# expects: subloops.too_deep
"""Each loop below believes that it is the first one."""

from tests.gate.loops.base import Base


class Broken(Base):
    def child(self, task, settings):
        child = super().child(task, settings)
        child.depth = self.depth
        return child


run_agent_loop = Broken.as_function()
