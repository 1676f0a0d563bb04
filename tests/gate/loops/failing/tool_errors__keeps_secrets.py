# expects: tool_errors.secret
"""Passes the text of an exception on as it is."""

from tests.gate.loops.base import Base


class Broken(Base):
    def without_secrets(self, text):
        return text


run_agent_loop = Broken.as_function()
