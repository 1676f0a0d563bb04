# expects: order.rearranged
"""Sorts the calls of an answer by their input, so that equal work gives equal requests."""

import json

from tests.gate.loops.base import Base


class Broken(Base):
    def said(self, answer):
        super().said(answer)
        content = self.messages[-1]["content"]
        calls = sorted((b for b in content if b["type"] == "tool_use"), key=lambda b: json.dumps(b["input"]))
        self.messages[-1]["content"] = [calls.pop(0) if b["type"] == "tool_use" else b for b in content]


run_agent_loop = Broken.as_function()
