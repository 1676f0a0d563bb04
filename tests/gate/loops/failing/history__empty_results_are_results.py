# expects: history.zero_lost
"""Whatever is false is no output: a count of zero as well."""

from tests.gate.loops.base import Base


class Broken(Base):
    def content_of(self, value):
        return super().content_of(value or None)


run_agent_loop = Broken.as_function()
