"""The engine as the article calls it."""

from simulator.loop import run_agent_loop

__all__ = ["run_agent_loop"]
