# expects: context.for_ever
"""It makes room until the conversation fits, also where there is nothing left to leave out."""

from tests.gate.loops.base import Base


class Broken(Base):
    def fit(self):
        if self.context_tokens is not None and self.size() > self.SHARE * self.context_tokens:
            self.shorten()
            self.fit()


run_agent_loop = Broken.as_function()
