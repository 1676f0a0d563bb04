# expects: state.sent_open
"""Takes for granted that whoever saved a history had come to the end of a step."""

from tests.gate.loops.base import Base


class Broken(Base):
    def taken(self, messages):
        return [self.plain(message) for message in messages]


run_agent_loop = Broken.as_function()
