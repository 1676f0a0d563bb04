# expects: context.dropped_silently
"""It leaves out old turns without a word in its records."""

from tests.gate.loops.base import Base


class Broken(Base):
    def record(self, event, **facts):
        if event != "compacted":
            super().record(event, **facts)


run_agent_loop = Broken.as_function()
