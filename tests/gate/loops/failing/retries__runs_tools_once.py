# expects: retries.twice
"""Repeats the whole step, tools and all, when the request at its end fails."""

import time

import anthropic

from tests.gate.loops import exits
from tests.gate.loops.base import Base


class Broken(Base):
    def ask(self):
        self.client = self.client.with_options(max_retries=0)
        for _ in range(3):
            try:
                return super().ask()
            except exits.ApiFailed as failure:
                error = failure.error
                if not isinstance(error, (anthropic.RateLimitError, anthropic.InternalServerError)):
                    raise
                time.sleep(float(error.response.headers.get("retry-after", 1)))
                self.step_back()
        return super().ask()

    def step_back(self):
        """Run the calls of the last turn anew."""
        calls = self.calls_of(self.messages[-2]) if len(self.messages) > 1 else []
        if calls:
            self.messages.pop()
            self.append_results(self.run_calls(calls))


run_agent_loop = Broken.as_function()
