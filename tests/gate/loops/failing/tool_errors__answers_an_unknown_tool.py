# expects: tool_errors.unknown_unnamed
"""Says that there is no such tool, and not which there are."""

from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def unknown_tool(self, name):
        return ToolProblem(f"Unknown tool: {name}")


run_agent_loop = Broken.as_function()
