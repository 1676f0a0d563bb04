# expects: parallel.sibling_lost
"""Waits for all calls together: the first exception is what comes of all of them."""

from tests.gate.loops.base import Base


class Broken(Base):
    def run_calls(self, calls):
        results = super().run_calls(calls)
        failed = next((result for result in results if "is_error" in result), None)
        return [{**failed, "tool_use_id": call["id"]} for call in calls] if failed else results


run_agent_loop = Broken.as_function()
