# expects: tool_errors.terse
"""The exception's text is the whole message."""

from tests.gate.loops.base import Base


class Broken(Base):
    def explained(self, call, error):
        return f"Error: {self.without_secrets(str(error))}"


run_agent_loop = Broken.as_function()
