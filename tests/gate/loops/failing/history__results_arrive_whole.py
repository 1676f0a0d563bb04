# expects: history.shortened
"""Takes the first text block of a result for the result."""

from tests.gate.loops.base import Base


class Broken(Base):
    def content_of(self, value):
        content = super().content_of(value)
        return content[0]["text"] if isinstance(content, list) and "text" in content[0] else content


run_agent_loop = Broken.as_function()
