# expects: ending.went_on
"""Does not believe the end where the model says that it is not done."""

from tests.gate.loops.base import Base


class Broken(Base):
    def done(self, answer):
        if "not done yet" in answer.text.lower():
            self.said(answer)
            self.tell("Then please go on.")
            return None
        return super().done(answer)


run_agent_loop = Broken.as_function()
