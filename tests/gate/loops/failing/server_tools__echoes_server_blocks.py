# expects: server_tools.dropped
"""Keeps what it knows how to handle of a turn with calls: the server's own part is nobody's business."""

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        answer.content = [block for block in answer.content if not self.is_of_server(block)]
        super().act(answer)

    def is_of_server(self, block):
        return block["type"] == "server_tool_use" or block["type"].endswith("_tool_result")


run_agent_loop = Broken.as_function()
