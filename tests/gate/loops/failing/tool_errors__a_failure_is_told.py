# expects: tool_errors.unflagged
"""Tells the model what went wrong, and forgets to say that it is an error."""

from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def error_result(self, call, error):
        told = super().error_result(call, error)
        return told if isinstance(error, ToolProblem) else self.result(call, told["content"])


run_agent_loop = Broken.as_function()
