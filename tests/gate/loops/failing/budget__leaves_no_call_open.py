# expects: budget.open_call
"""Results that the model never saw are not handed over: the call before them stays open."""

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def out_of(self, name, limit, spent):
        try:
            super().out_of(name, limit, spent)
        except exits.BudgetExceeded as over:
            if self.requests:
                over.messages = over.messages[:-1]
            raise


run_agent_loop = Broken.as_function()
