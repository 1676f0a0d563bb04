# expects: truncation.text_lost
"""Says that the answer was cut, and lets go of what there was of it."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def truncated(self, answer):
        raise exits.Truncated(f"truncated: cut off at max_tokens={self.room()}")


run_agent_loop = Broken.as_function()
