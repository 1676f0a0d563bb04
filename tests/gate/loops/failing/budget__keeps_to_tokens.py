# expects: budget.over
"""Holds the limit against what the last answer used, not against what all did."""

from tests.gate.loops.base import Base


class Broken(Base):
    def limits(self):
        used = sum(self.last.usage[name] for name in ("input_tokens", "output_tokens")) if self.last else 0
        tokens = ("max_total_tokens", self.max_total_tokens, used)
        return [tokens if limit[0] == tokens[0] else limit for limit in super().limits()]


run_agent_loop = Broken.as_function()
