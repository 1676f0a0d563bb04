# expects: retries.hammers
"""Waits as long as the API asks for, and where it asks for nothing, not at all."""

import time

import anthropic

from tests.gate.loops.base import Base

PASSING = (408, 409, 429, 500, 502, 503, 504, 529)


class Broken(Base):
    def send(self, body):
        self.client = self.client.with_options(max_retries=0)
        for _ in range(4):
            try:
                return super().send(body)
            except anthropic.APIStatusError as error:
                if error.status_code not in PASSING:
                    raise
                time.sleep(float(error.response.headers.get("retry-after", 0)))
        return super().send(body)


run_agent_loop = Broken.as_function()
