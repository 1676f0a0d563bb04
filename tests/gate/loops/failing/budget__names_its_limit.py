# expects: budget.unnamed
"""Every limit ends the run with the same sentence, which says nothing of a limit."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def out_of(self, name, limit, spent):
        raise self.stopped(exits.LoopStopped, "the agent came to a stop")


run_agent_loop = Broken.as_function()
