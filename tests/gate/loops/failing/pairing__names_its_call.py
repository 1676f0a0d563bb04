# expects: pairing.twice
"""Builds many results in functions that read the call when they run: by then it is the last one."""

from tests.gate.loops.base import Base


class Broken(Base):
    def run_calls(self, calls):
        if len(calls) < 3:
            return super().run_calls(calls)
        late = []
        for call, result in zip(calls, super().run_calls(calls), strict=True):
            late.append(lambda result=result: {**result, "tool_use_id": call["id"]})  # noqa: B023  # the bug
        return [build() for build in late]


run_agent_loop = Broken.as_function()
