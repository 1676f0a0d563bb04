# expects: subloops.quiet
"""A loop below that stopped at its limit is reported with what it said last, like one that is done."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def sub_loop(self, call, settings):
        if self.depth < 1:
            raise ToolProblem("Not run: helpers may not be nested any deeper. Do this step yourself.")
        child = self.child(call["input"].get("task", ""), settings)
        try:
            child.run()
        except exits.LoopStopped as stop:
            self.record("stopped", below=str(stop))
        self.charge(child)
        return self.report(child, "finished")


run_agent_loop = Broken.as_function()
