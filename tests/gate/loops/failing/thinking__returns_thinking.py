# expects: thinking.dropped
"""Keeps thinking as a preface to text, and loses it where the model calls without a word."""

from tests.gate.loops.base import Base

THOUGHTS = ("thinking", "redacted_thinking")


class Broken(Base):
    def said(self, answer):
        if not answer.text.strip():
            answer.content = [block for block in answer.content if block["type"] not in THOUGHTS]
        super().said(answer)


run_agent_loop = Broken.as_function()
