# expects: context.grew
"""It estimates the size of a conversation by what user and model say; results of tools are not counted."""

from tests.gate.loops.base import Base


class Broken(Base):
    def size(self):
        said = [self.words(turn) for turn in self.view()]
        return len("".join(said)) // 4


run_agent_loop = Broken.as_function()
