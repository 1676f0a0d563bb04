# expects: truncation.taken_for_whole
"""Knows of a cut stream, and takes a cut answer that came at once for a long one."""

from tests.gate.loops.base import Base


class Broken(Base):
    def truncated(self, answer):
        return super().truncated(answer) if self.stream else answer.text


run_agent_loop = Broken.as_function()
