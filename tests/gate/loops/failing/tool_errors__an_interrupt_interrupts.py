# expects: tool_errors.interrupt_overruled
"""Catches everything that comes out of a handler."""

from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def dispatch(self, call):
        try:
            return super().dispatch(call)
        except KeyboardInterrupt:
            raise ToolProblem(f"{call['name']} was interrupted. Try again.") from None


run_agent_loop = Broken.as_function()
