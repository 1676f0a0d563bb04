# expects: streaming.garbled
"""Puts streams together with one variable for “the block at hand”, whatever index an event names."""

from tests.gate.loops.assembly import Assembly
from tests.gate.loops.base import Base


class AtHand(Assembly):
    def block_started(self, index, block):
        self.at_hand = index
        super().block_started(index, block)

    def grown(self, index, delta):
        super().grown(self.at_hand, delta)


class Broken(Base):
    def assembly(self):
        return AtHand()


run_agent_loop = Broken.as_function()
