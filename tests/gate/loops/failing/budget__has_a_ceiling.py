# expects: budget.no_ceiling
"""Can be told a lot, but no limit: it goes on as long as the model does."""

from tests.gate.loops.base import Base


def run_agent_loop(
    client, messages, tools, handlers, *, model="claude-sonnet-5-5", max_tokens=4096, system=None, check=None,
    tool_timeout=None, context_tokens=None, pinned=(), max_result_chars=None, tool_choice=None, subloops=None,
    stream=False, cancelled=None, on_event=None,
):  # fmt: skip
    return Base(**locals(), max_iterations=1_000_000).run()
