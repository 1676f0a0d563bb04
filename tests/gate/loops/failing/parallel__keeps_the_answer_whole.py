# expects: parallel.divided
"""Writes more than two calls of one answer down as if they had been made one after another."""

from dataclasses import replace

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        if len(answer.calls) < 3:
            return super().act(answer)
        others = [block for block in answer.content if block["type"] != "tool_use"]
        for place, call in enumerate(answer.calls):
            super().act(replace(answer, content=[call] if place else [*others, call]))
        return None


run_agent_loop = Broken.as_function()
