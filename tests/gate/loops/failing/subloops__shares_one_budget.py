# expects: subloops.overspent
"""The requests of the loop below are never charged: each loop keeps to the limit, all together do not."""

from tests.gate.loops.base import Base


class Broken(Base):
    def charge(self, child):
        for name, amount in child.usage.items():
            self.usage[name] = self.usage.get(name, 0) + amount


run_agent_loop = Broken.as_function()
