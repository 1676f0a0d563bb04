# expects: progress.went_on
"""Remembers the last step only: a call in between, and the count begins anew."""

from tests.gate.loops.base import Base


class Broken(Base):
    def watch(self, calls, results):
        keys = [self.key(call, result) for call, result in zip(calls, results, strict=True)]
        self.seen = {key: count for key, count in self.seen.items() if key in keys}
        super().watch(calls, results)


run_agent_loop = Broken.as_function()
