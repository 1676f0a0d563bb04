# expects: records.signal_missing
"""It hands out the records of a round when the next one begins; those of the last one stay behind."""

from tests.gate.loops.base import Base


class Broken(Base):
    def record(self, event, **facts):
        round_so_far = vars(self).setdefault("round", [])
        if round_so_far and round_so_far[-1][0] != self.requests:
            for _, earlier, told in round_so_far:
                super().record(earlier, **told)
            round_so_far.clear()
        round_so_far.append((self.requests, event, facts))


run_agent_loop = Broken.as_function()
