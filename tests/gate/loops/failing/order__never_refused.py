# expects: order.refused
"""Numbers the parts of a result where there are several results, in a field of its own making."""

from tests.gate.loops.base import Base


class Broken(Base):
    def run_calls(self, calls):
        results = super().run_calls(calls)
        for place, result in enumerate(results if len(results) > 1 else ()):
            text = self.text_of(result["content"])
            result["content"] = [{"type": "text", "text": text, "index": place}]
        return results


run_agent_loop = Broken.as_function()
