# expects: pairing.crossed
"""Sorts what came back, for a log that is easy to compare, and joins it with the calls by position."""

from tests.gate.loops.base import Base


class Broken(Base):
    def run_calls(self, calls):
        results = super().run_calls(calls)
        good = [result for result in results if "is_error" not in result]
        for result, content in zip(good, sorted((each["content"] for each in good), key=str), strict=True):
            result["content"] = content
        return results


run_agent_loop = Broken.as_function()
