# expects: hygiene.blank_sent
"""Leaves out text blocks that are empty, and keeps those that only look so."""

from tests.gate.loops.base import Base


class Broken(Base):
    def cleaned(self, content):
        return content if isinstance(content, str) else [b for b in content if b.get("text") != ""]


run_agent_loop = Broken.as_function()
