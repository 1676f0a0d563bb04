# expects: context.sent_again
"""Told that its prompt is too long, it makes a shorter list and sends the long one again."""

from tests.gate.loops.base import Base


class Broken(Base):
    def failed(self, error):
        if "prompt is too long" not in str(error):
            return super().failed(error)
        smaller = [self.messages[0], *self.messages[3:]]
        self.record("too_long", turns=len(smaller))
        return self.guard()


run_agent_loop = Broken.as_function()
