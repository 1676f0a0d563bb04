# expects: context.fact_lost
"""Its pinned facts are sent as long as all turns are; once old turns are only told, they are gone."""

from tests.gate.loops.base import Base


class Broken(Base):
    def instructions(self):
        return self.system if self.cut else super().instructions()


run_agent_loop = Broken.as_function()
