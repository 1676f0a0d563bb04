"""The base loop as it is, to be judged like any other."""

from tests.gate.loops.base import Base

run_agent_loop = Base.as_function()
