# expects: order.text_first
"""Reminds the model of the task before it reads several results at once."""

from tests.gate.loops.base import Base


class Broken(Base):
    def append_results(self, results):
        reminder = {"type": "text", "text": "Here is what your calls brought. Keep the task in mind."}
        super().append_results([reminder, *results] if len(results) > 1 else results)


run_agent_loop = Broken.as_function()
