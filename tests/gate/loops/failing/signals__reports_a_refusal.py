# expects: signals.refusal_resent
"""Takes a refusal for a whim and sends the same request once more."""

from tests.gate.loops.base import Base


class Broken(Base):
    tried = False

    def refused(self, answer):
        if not self.tried:
            self.tried = True
            return None
        return super().refused(answer)


run_agent_loop = Broken.as_function()
