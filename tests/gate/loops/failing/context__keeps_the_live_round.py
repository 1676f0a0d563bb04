# expects: context.live_cut
"""Where the conversation is large it clears the results of tools, the one that just came in among them."""

from tests.gate.loops.base import Base


class Broken(Base):
    def view(self):
        turns = super().view()
        if self.cut:
            for turn in turns:
                for block in self.blocks(turn):
                    if block["type"] == "tool_result":
                        block["content"] = "[cleared to save room]"
        return turns


run_agent_loop = Broken.as_function()
