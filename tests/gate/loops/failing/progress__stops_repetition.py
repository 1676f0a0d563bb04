# expects: progress.went_on
"""A call right after itself is taken for another try and not counted; the model is told, no more."""

from tests.gate.loops.base import Base


class Broken(Base):
    def watch(self, calls, results):
        keys = [self.key(call, result) for call, result in zip(calls, results, strict=True)]
        if keys == getattr(self, "before", None):
            self.observed(results[0])
            return
        self.before = keys
        super().watch(calls, results)


run_agent_loop = Broken.as_function()
