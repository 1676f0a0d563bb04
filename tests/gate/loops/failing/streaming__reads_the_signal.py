# expects: streaming.untold
"""Knows how a streamed answer ended by what is in it, not by what the API says at its end."""

from tests.gate.loops.assembly import Assembly
from tests.gate.loops.base import Base


class ByContent(Assembly):
    def told(self, delta, usage):
        super().told(delta, usage)
        if self.stop_reason == "max_tokens":
            kinds = [block["type"] for block in self.blocks.values()]
            self.stop_reason = "tool_use" if "tool_use" in kinds else "end_turn"


class Broken(Base):
    def assembly(self):
        return ByContent()


run_agent_loop = Broken.as_function()
