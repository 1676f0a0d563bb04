# expects: retries.too_soon
"""Retries by a clock of its own, and never looks at what the API asks for."""

import time

import anthropic

from tests.gate.loops.base import Base

PASSING = (408, 409, 429, 500, 502, 503, 504, 529)


class Broken(Base):
    def send(self, body):
        self.client = self.client.with_options(max_retries=0)
        for attempt in range(4):
            try:
                return super().send(body)
            except anthropic.APIStatusError as error:
                if error.status_code not in PASSING:
                    raise
                time.sleep(0.25 * 2**attempt)
        return super().send(body)


run_agent_loop = Broken.as_function()
