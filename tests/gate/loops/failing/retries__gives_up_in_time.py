# expects: retries.endless
"""Tries five times, around a client that tries three times by itself."""

import time

import anthropic

from tests.gate.loops.base import Base


class Broken(Base):
    def send(self, body):
        for attempt in range(4):
            try:
                return super().send(body)
            except (anthropic.RateLimitError, anthropic.InternalServerError):
                time.sleep(2**attempt)
        return super().send(body)


run_agent_loop = Broken.as_function()
