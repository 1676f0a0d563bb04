# expects: context.unmarked
"""It cuts a large result to its limit and says nothing of it."""

from tests.gate.loops.base import Base


class Broken(Base):
    def shortened(self, content):
        text = self.text_of(content)
        return content if self.max_result_chars is None else text[: self.max_result_chars]


run_agent_loop = Broken.as_function()
