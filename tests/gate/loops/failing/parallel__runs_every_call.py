# expects: parallel.lost
"""Where many calls come at once, runs the first and tells the model to ask for the others again."""

from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def run_calls(self, calls):
        if len(calls) < 3:
            return super().run_calls(calls)
        later = [self.error_result(call, ToolProblem("One call at a time, please.")) for call in calls[1:]]
        return [*super().run_calls(calls[:1]), *later]


run_agent_loop = Broken.as_function()
