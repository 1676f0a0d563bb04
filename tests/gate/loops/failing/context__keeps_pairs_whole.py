# expects: context.split
"""It keeps the last three messages, whatever they are: mostly a result whose call is gone."""

from tests.gate.loops.base import Base


class Broken(Base):
    def places(self):
        return [max(self.first, len(self.messages) - 3)]


run_agent_loop = Broken.as_function()
