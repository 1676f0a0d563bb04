# expects: progress.old_news
"""Begins its account of calls with the conversation, and not with the run."""

from tests.gate.loops.base import Base


class Broken(Base):
    def __post_init__(self):
        super().__post_init__()
        results = {
            block["tool_use_id"]: block
            for turn in self.messages
            for block in self.blocks(turn)
            if block["type"] == "tool_result"
        }
        for call in (call for turn in self.messages for call in self.calls_of(turn)):
            key = self.key(call, results[call["id"]])
            self.seen[key] = self.seen.get(key, 0) + 1


run_agent_loop = Broken.as_function()
