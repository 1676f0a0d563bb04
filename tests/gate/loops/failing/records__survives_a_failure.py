# expects: records.lost
"""It hands out its records when the work is finished; where it is not, nobody gets them."""

from tests.gate.loops.base import Base


class Broken(Base):
    def record(self, event, **facts):
        kept = vars(self).setdefault("kept", [])
        kept.append((event, facts))
        if event == "finished":
            for name, told in kept:
                super().record(name, **told)


run_agent_loop = Broken.as_function()
