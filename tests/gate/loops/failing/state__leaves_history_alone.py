# expects: state.changed
"""Puts what was said into the list of its caller, who may want to ask that same thing again."""

from tests.gate.loops.base import Base


class Broken(Base):
    def taken(self, messages):
        self.given = messages
        return super().taken(messages)

    def finish(self, answer):
        self.said(answer)
        self.given[:] = self.messages
        return super().finish(answer)


run_agent_loop = Broken.as_function()
