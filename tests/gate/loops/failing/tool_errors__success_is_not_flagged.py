# expects: tool_errors.false_flag
"""A result that speaks of an error is one."""

from tests.gate.loops.base import Base


class Broken(Base):
    def result(self, call, content):
        result = super().result(call, content)
        return {**result, "is_error": True} if " error " in self.text_of(content) else result


run_agent_loop = Broken.as_function()
