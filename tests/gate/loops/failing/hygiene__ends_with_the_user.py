# expects: hygiene.trailing
"""Puts words in the place of a blank answer and asks again, with nothing said by the user."""

from tests.gate.loops.base import Base


class Broken(Base):
    def empty(self, answer):
        if not answer.content or self.nudges >= self.NUDGES:
            return super().empty(answer)
        self.nudges += 1
        self.messages.append({"role": "assistant", "content": "(no answer)"})
        return None


run_agent_loop = Broken.as_function()
