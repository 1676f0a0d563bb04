# expects: tool_errors.traceback
"""Sends the whole traceback, so that nothing is lost."""

import traceback

from tests.gate.loops.base import Base
from tests.gate.loops.base_tools import ToolProblem


class Broken(Base):
    def explained(self, call, error):
        told = super().explained(call, error)
        if isinstance(error, ToolProblem):
            return told
        lines = "".join(traceback.format_exception(error))
        return f"{told}\n{self.without_secrets(lines)}"


run_agent_loop = Broken.as_function()
