# expects: server_tools.answered
"""Takes everything whose type ends in tool_use for a call of its own."""

from tests.gate.loops.base import Base


class Broken(Base):
    def act(self, answer):
        self.said(answer)
        calls = [block for block in answer.content if block["type"].endswith("tool_use")]
        results = self.run_calls(calls)
        self.append_results(results)
        self.watch(calls, results)


run_agent_loop = Broken.as_function()
