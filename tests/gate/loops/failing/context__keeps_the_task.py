# expects: context.task_lost
"""Once it tells old turns in a few lines, these lines stand in the place of the user's question."""

import copy

from tests.gate.loops.base import Base


class Broken(Base):
    def view(self):
        if not self.cut:
            return super().view()
        return copy.deepcopy([{"role": "user", "content": self.findings()}, *self.messages[self.cut :]])


run_agent_loop = Broken.as_function()
