# expects: usage.wrong
"""It adds the counts of a stream's last event to those of its first, though they count from the beginning."""

from tests.gate.loops.assembly import Assembly
from tests.gate.loops.base import Base


class Adding(Assembly):
    def told(self, delta, usage):
        so_far = dict(self.message["usage"])
        super().told(delta, {name: (so_far.get(name) or 0) + (count or 0) for name, count in usage.items()})


class Broken(Base):
    def assembly(self):
        return Adding()


run_agent_loop = Broken.as_function()
