# expects: hygiene.tools_gone
"""Takes the tools away for the last request that the limit allows, so that an answer has to come."""

from tests.gate.loops.base import Base


class Broken(Base):
    def body(self):
        body = super().body()
        if self.requests == self.max_iterations:
            body.pop("tools", None)
        return body


run_agent_loop = Broken.as_function()
