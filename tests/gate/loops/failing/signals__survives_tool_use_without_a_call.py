# expects: signals.no_call_empty_turn
"""Goes by tool_use alone, and answers no call with a turn that holds nothing."""

from tests.gate.loops.base import Base


class Broken(Base):
    def decide(self, answer):
        return self.act(answer) if answer.stop_reason == "tool_use" else super().decide(answer)


run_agent_loop = Broken.as_function()
