# expects: streaming.ran_a_piece
"""Takes the end of the events for the end of the answer."""

from tests.gate.loops.assembly import Assembly
from tests.gate.loops.base import Base


class Trusting(Assembly):
    def answer(self):
        message = super().answer()
        kinds = [block["type"] for block in message["content"]]
        return {
            **message,
            "stop_reason": self.stop_reason or ("tool_use" if "tool_use" in kinds else "end_turn"),
        }


class Broken(Base):
    def assembly(self):
        return Trusting()

    def whole(self, assembly):
        return bool(assembly.blocks)


run_agent_loop = Broken.as_function()
