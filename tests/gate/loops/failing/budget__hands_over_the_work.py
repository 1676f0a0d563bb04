# expects: budget.lost
"""The exception names the limit, and that is all that is left of the work."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def out_of(self, name, limit, spent):
        raise exits.BudgetExceeded(f"budget exceeded: {name}={limit} is reached ({spent:g} spent)")


run_agent_loop = Broken.as_function()
