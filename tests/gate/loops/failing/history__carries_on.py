# expects: history.lost
"""Sends the task and the last six turns, so that the request never gets long."""

from tests.gate.loops.base import Base


class Broken(Base):
    def view(self):
        turns = super().view()
        return turns if len(turns) < 8 else [turns[0], *turns[-6:]]


run_agent_loop = Broken.as_function()
