# expects: retries.hopeless
"""Takes every refusal that is not its own mistake for a bad moment."""

import time

import anthropic

from tests.gate.loops.base import Base


class Broken(Base):
    def send(self, body):
        for attempt in range(2):
            try:
                return super().send(body)
            except anthropic.BadRequestError:
                raise
            except anthropic.APIStatusError as error:
                if error.status_code in (200, 413) or error.status_code >= 429:
                    raise  # The SDK has tried these again already.
                time.sleep(2**attempt)
        return super().send(body)


run_agent_loop = Broken.as_function()
